# Manual pages: one for every command, with every option that its help has, which man prints without a warning.
# SPDX-License-Identifier: Apache-2.0
"""Shown first: that a page without an option, a page too few and a broken page are seen. Exit code 77
(skipped) where there is no man."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
from program import commands, meanings, said


def written():
    with tempfile.TemporaryDirectory() as folder:
        said("manual", folder)
        return {path.stem: path.read_text("utf-8") for path in pathlib.Path(folder).iterdir()}


def plain(page):
    """The text of a page without what roff needs."""
    text = page.replace("\\&", "").replace("\\-", "-")
    for name, letter in (("rs", "\\"), ("aq", "'"), ("dq", '"'), ("ga", "`"), ("ha", "^"), ("ti", "~")):
        text = text.replace(f"\\[{name}]", letter)
    return text


def lacks(pages, known):
    """What pages do not say of commands, and pages of no command."""
    faults = []
    for words, (options, help_text) in known.items():
        page = plain(pages.get("-".join(("mixwell", *words)), ""))
        faults += [f"{' '.join(words)}: its page has no {option}"
                   for option in options if f"\\fB{option}\\fR" not in page]
        faults += [f"{' '.join(words)}: its page does not say: {meaning}"
                   for meaning in meanings(help_text) if meaning not in page]
        example = help_text.split("Example:\n  ")[1].split("\n")[0]
        if example not in page:
            faults.append(f"{' '.join(words)}: its page has no example")
    named = {"-".join(("mixwell", *words)) for words in known}
    return faults + [f"{page} is a page of no command" for page in pages.keys() - named]


def warnings(page):
    with tempfile.NamedTemporaryFile("w", suffix=".1", encoding="utf-8") as file:
        file.write(page)
        file.flush()
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file.name],
                              env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"},
                              capture_output=True, text=True)
    return done.stderr.strip() or ("man failed" if done.returncode else "")


def misses_of_mutants(pages, known):
    run, broken = pages["mixwell-run"], dict(pages)
    mutants = {"an option too few": {**pages, "mixwell-run": run.replace("\\-\\-threads", "\\-\\-thread")},
             "a page too many": {**pages, "mixwell-rum": run}}
    broken.pop("mixwell-run")
    mutants["a page too few"] = broken
    mutants["a meaning too few"] = {**pages, "mixwell-run": run.replace("Number of threads", "Threads")}
    missed = [what for what, wrong in mutants.items() if not lacks(wrong, known)]
    return missed + ([] if warnings(run + ".nosuchmacro\n") else ["an unknown macro"])


def main():
    if shutil.which("man") is None:
        print("skipped: there is no man")
        return 77
    pages, known = written(), commands()
    faults = lacks(pages, known)
    faults += [f"{name}: {said}" for name, page in sorted(pages.items()) if (said := warnings(page))]
    faults += [f"unseen: {what}" for what in misses_of_mutants(pages, known)]
    print("\n".join(faults) or f"{len(pages)} pages, {sum(len(one[0]) for one in known.values())} options")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
