# The site of ./dev docs: built without a warning, then crawled without a dead link.
# SPDX-License-Identifier: Apache-2.0
"""site_check.py [HTML]: builds the site in the build folder and crawls it, or crawls that folder alone.
Every page that has a link to a file or to a place in one is read; both must be there. First it shows
that it sees a dead link, a dead anchor and a page from elsewhere. Exit code 77 (skipped) where the tools
cannot be had."""

import html.parser
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("MIXWELL_SOURCE_DIR") or HERE / ".." / "..").resolve()
BUILD = pathlib.Path(os.environ.get("MIXWELL_BUILD_DIR") or SOURCE / "build" / "release").resolve()


class Page(html.parser.HTMLParser):
    """Links of a page, what it loads, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places.update(found[key] for key in ("id", "name") if found.get(key))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("script", "img", "iframe") and found.get("src"):
            self.loads.append(found["src"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon"):
            self.loads.append(found["href"])


def crawl(root):
    """Faults of all pages under a folder, and how many links were looked at."""
    pages = {path: Page(path) for path in root.rglob("*.html") if path.name != "404.html"}
    faults, count = [], 0
    for path, page in pages.items():
        name = path.relative_to(root)
        for target in page.loads:
            if urllib.parse.urlsplit(target).netloc:
                faults.append(f"{name} loads {target}, which is not of the site")
        for target in page.links + page.loads:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not file.is_file():
                faults.append(f"{name}: {target} is not there")
            elif parts.fragment and file in pages and parts.fragment != "__codelineno" and \
                    urllib.parse.unquote(parts.fragment) not in pages[file].places:
                faults.append(f"{name}: {target}: no such place")
    return faults, count


def misses_of_mutants():
    """Faults that go unseen."""
    mutants = {"a dead link": '<a href="gone.html">x</a>', "a dead anchor": '<a href="#gone">x</a>',
             "a script from elsewhere": '<script src="//elsewhere.org/x.js"></script>'}
    missed = []
    for what, text in mutants.items():
        with tempfile.TemporaryDirectory() as place:
            (pathlib.Path(place) / "index.html").write_text(text)
            if not crawl(pathlib.Path(place).resolve())[0]:
                missed.append(what)
    return missed


def pages_without_way():
    """Chapters of decisions that their index or the navigation of the site does not name."""
    index = (SOURCE / "docs" / "decisions.md").read_text("utf-8")
    navigation = (SOURCE / "docs" / "site" / "mkdocs.yml").read_text("utf-8")
    return [f"nothing leads to docs/decisions/{path.name}"
            for path in (SOURCE / "docs" / "decisions").glob("*.md")
            if f"decisions/{path.name}" not in index or f"docs/decisions/{path.name}" not in navigation]


def built():
    done = subprocess.run([SOURCE / "docs" / "site" / "build.sh", BUILD], capture_output=True,
                          text=True)
    if done.returncode == 77:
        print("skipped:", done.stdout.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return pathlib.Path(done.stdout.strip().splitlines()[-1]).parent


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if sys.argv[1:] else built()
    faults, count = crawl(root)
    faults += [f"unseen: {what}" for what in misses_of_mutants()]
    faults += pages_without_way()
    if count < 1000:
        faults.append(f"only {count} links were found")
    print("\n".join(faults) or f"{count} links lead somewhere")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
