# Every block of code of README.md and docs: carried out, or checked as its kind allows.
# SPDX-License-Identifier: Apache-2.0
"""Commands (sh) are carried out in order, in a copy of the tree that all documents share; what is shown below a
command (console), or said to be its output, must be what is printed now. Manifests go through `mixwell
check`; fragments of TOML have keys that exist; C++, C and CMake is that of a file which is compiled; Python
compiles (tests/python_package runs it); R is parsed; SELECTs run on a study. support/blocks.py has the marks of
what cannot be run. First it is shown that faults of each kind are seen."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import commands  # noqa: E402
import fragments  # noqa: E402
from blocks import all_blocks, blocks_of  # noqa: E402

SLOW = False


class Checks:
    def __init__(self, place):
        self.place = commands.place_for(place)
        self.vocabulary = commands.Vocabulary()
        self.tomls = fragments.Tomls(self.place)
        self.texts = {**fragments.compiled(), **fragments.written_anew(self.place)}
        self.counts = {}

    def faults(self, block):
        check = getattr(self, "check_" + (block.language or "none"), None)
        if check is None:
            return [f"a block of {block.language or 'no language'}: it is none of sh, console, text, toml, cpp, c, "
                    "cmake, python, r, sql"]
        self.counts[block.language] = self.counts.get(block.language, 0) + 1
        return check(block)

    def check_sh(self, block):
        faults = commands.faults_of_words(block.as_read(), self.vocabulary)
        if faults or block.mark == "not run" or (block.mark == "slow" and not SLOW):
            return faults
        done = commands.carried_out(block.as_read(), self.place)
        return [] if done.returncode == 0 else [f"exit code {done.returncode}: {done.stdout[-2000:]}"]

    def check_console(self, block):
        command, shown = block.as_read().removeprefix("$ ").split("\n", 1)
        faults = commands.faults_of_words(command, self.vocabulary)
        return faults or self.compare(block, command, shown)

    def check_text(self, block):
        if block.mark == "output of":
            return self.compare(block, block.words, block.text)
        return [] if block.mark == "not run" else ["a block of text says neither `output of` nor `not run`"]

    def compare(self, block, command, shown):
        if block.mark == "not run" or (block.mark == "slow" and not SLOW):
            return []
        printed = commands.carried_out(command, self.place).stdout
        line = commands.differs(shown, printed)
        return [f"`{command}` does not print: {line}\nbut\n{printed}"] if line else []

    def check_toml(self, block):
        return self.tomls.faults(block)

    def check_cpp(self, block):
        if block.mark == "compiles":
            return fragments.faults_of_compiler(block, self.place)
        return [] if fragments.is_compiled(block, self.texts) else ["no file that is compiled has this text"]

    check_c = check_cmake = check_cpp

    def check_python(self, block):
        try:
            compile(block.text, str(block), "exec")
        except SyntaxError as fault:
            return [str(fault)]
        return []

    def check_r(self, block):
        return fragments.faults_of_r(block)

    def check_sql(self, block):
        return fragments.faults_of_sql(block, self.place)


# Each has a fault.
TWINS = {
    "a wrong option": "```sh\nmixwell run examples/challenger/challenger.toml --fast\n```\n",
    "a wrong option that is not run": "<!-- not run: x -->\n```sh\n./dev adversary --secondz 600\n```\n",
    "a wrong command": "<!-- not run: x -->\n```sh\nmixwell rum m.toml\n```\n",
    "a missing file": "<!-- not run: x -->\n```sh\nmixwell run examples/challenger/gone.toml\n```\n",
    "a command that fails": "```sh\nmixwell summary out/nowhere\n```\n",
    "an output": "```console\n$ mixwell --version\nmixwell 99.0\n```\n",
    "an output of a command": "<!-- output of: mixwell --version -->\n```text\nmixwell 99.0\n```\n",
    "text of nothing": "```text\nx\n```\n",
    "no language": "```\nx\n```\n",
    "a wrong key": "```toml\n[kernel.k]\nuse = \"nuts\"\nstep_sizes = 1.0\n```\n",
    "a wrong component": "```toml\n[kernel.k]\nuse = \"nutz\"\n```\n",
    "a wrong axis": "```toml\n[study.axes]\nkernel.k.stepz = [1, 2]\n```\n",
    "a wrong key of a study": "```toml\n[study]\nseedz = [1]\n```\n",
    "no TOML": "```toml\n[kernel.k\n```\n",
    "a manifest that is refused": "```toml\nmixwell = 1\n[model.m]\nuse = \"gaussian\"\ndimension = 0\n```\n",
    "C++ of no file": "```cpp\nint answer() { return 43; }\n```\n",
    "C++ that does not compile": "<!-- compiles: -->\n```cpp\nint answer() { return 43 }\n```\n",
    "no Python": "```python\nrun = mw.run(\n```\n",
    "SQL": "```sql\nATTACH 'out/step-size/study.sqlite' AS s;\nSELECT nothing FROM s.results;\n```\n",
}


def main():
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(folder)
        for block in all_blocks(commands.SOURCE):
            faults += [f"{block}: {fault}" for fault in checks.faults(block)]
        counts = dict(checks.counts)
        for what, text in TWINS.items():
            if not any(checks.faults(block) for block in blocks_of("mutant", text)):
                faults.append(f"unseen: {what}")
    print("\n".join(faults) or ", ".join(f"{count} {language}" for language, count in sorted(counts.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
