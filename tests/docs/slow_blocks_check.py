# blocks_check, with the blocks that are marked as slow.
# SPDX-License-Identifier: Apache-2.0
import sys

import blocks_check

if __name__ == "__main__":
    blocks_check.SLOW = True
    sys.exit(blocks_check.main())
