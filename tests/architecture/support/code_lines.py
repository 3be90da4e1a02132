# Lines of C++ that are code.
# SPDX-License-Identifier: Apache-2.0
import re

_RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)


def code_lines(text):
    """Those that are neither blank nor hold only a comment. What a raw string holds is code."""
    text = _RAW_STRING.sub(lambda found: re.sub(r"(?m)^\s*//", "text", found.group()), text)
    text = re.sub(r"(?ms)^\s*/\*.*?\*/$", "", text)
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("//")]
