# The fenced blocks of the documents, with the marks in front of them.
# SPDX-License-Identifier: Apache-2.0
"""A mark is an HTML comment on the line before a block:

<!-- not run: REASON -->        commands are looked at, not carried out
<!-- slow: REASON -->           carried out by slow_blocks_check alone
<!-- output of: COMMAND -->     a block of text is what the command prints
<!-- with: NAME = OTHER -->     NAME stands for the reader's own; OTHER is taken in its place
<!-- file: NAME -->             kept under that name for the blocks that follow
<!-- compiles: MORE -->         C++ that compiles with MORE after it
"""

import dataclasses
import pathlib
import re
import subprocess

BLOCK = re.compile(r"(?:^<!-- (?P<mark>[a-z ]+): ?(?P<words>[^\n]*?) ?-->\n)?"
                   r"^```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)


@dataclasses.dataclass
class Block:
    document: str
    line: int  # of the fence
    language: str
    text: str
    mark: str = ""
    words: str = ""

    def __str__(self):
        return f"{self.document}:{self.line}"

    def as_read(self):
        """The text with what `with` takes in the place of the reader's own names."""
        if self.mark != "with":
            return self.text
        name, other = self.words.split(" = ")
        return self.text.replace(name, other)


def blocks_of(document, text):
    fences = len(re.findall(r"^ *```", text, re.M))
    if fences != 2 * len(BLOCK.findall(text)):
        raise SystemExit(f"{document}: a fence is indented, or not closed")
    return [Block(document, text[:found.start("language")].count("\n") + 1, found["language"],
                  found["text"], found["mark"] or "", found["words"] or "")
            for found in BLOCK.finditer(text)]


def documents(source):
    """README first: what it makes is there for the others."""
    listed = subprocess.run(["git", "ls-files", "README.md", "docs/*.md"], cwd=source, check=True,
                            capture_output=True, text=True).stdout.split()
    return sorted(listed, key=lambda name: (name != "README.md", name))


def all_blocks(source):
    return [block for name in documents(source)
            for block in blocks_of(name, pathlib.Path(source, name).read_text("utf-8"))]
