# Measured tables of docs/ name what they were made from, and say so where rules or components have changed since.
# SPDX-License-Identifier: Apache-2.0
"""Each page in support/table_sources.py has a stamp that fits the sources, or the line that says that it does not. What
the fingerprint sees, and what it does not, is tried first on code that was changed in known ways."""

import re
import shutil
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

import table_sources  # noqa: E402
from table_sources import COMPONENTS, ROOT, RULES, STALE, STAMP, TABLES, bare, fingerprint  # noqa: E402

CODE = '''// A rule.
Verdict judge(const Analysis& a) {
  if (a.order > 1) return none("5", "the error " "does not vanish");  // why
  return fine("invariant", {});
}
'''


class Fingerprint(unittest.TestCase):
    def test_layout_comments_and_words_do_not_count(self):
        for before, after in [("// A rule.", "/* Another comment. */"), ("\n  ", "\n\n      "), ("order > 1", "order>1"),
                              ('"the error " "does not vanish"', '"the error does "\n        "not go away"')]:
            self.assertIn(before, CODE)
            self.assertEqual(bare(CODE), bare(CODE.replace(before, after)), after)

    def test_code_keys_and_traits_count(self):
        for before, after in [("order > 1", "order > 2"), ('"5"', '"B"'), ('"invariant"', '"keeps_law"'),
                              ("return fine", "return warn"), ("{})", "{1})")]:
            self.assertIn(before, CODE)
            self.assertNotEqual(bare(CODE), bare(CODE.replace(before, after)), after)

    def copy(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in [*RULES, *COMPONENTS, "tests/mutants", "tests/compositions"]:
            shutil.copytree(ROOT / name, Path(folder.name) / name)
        return Path(folder.name)

    def test_a_change_of_a_rule_or_of_a_component_counts(self):
        root = self.copy()
        for path, before, after, pages in [
                ("framework/src/certificate/stage_rules.cpp", "// Rule R", "// The rule R", []),
                ("framework/src/certificate/stage_rules.cpp", "mirror = of.size() - 1", "mirror = of.size() - 2", TABLES),
                ("framework/src/verify/ladder.cpp", "rung_count = 4", "rung_count = 5", TABLES),
                ("tests/wrong/plugins/wrong_pseudo_marginal.cpp", '"anew"', '"afresh"', ["docs/mutants.md"]),
                ("tests/wrong/mutants.toml", 'wrong = "accepts with exp(H* - H)"', 'wrong = "wrong"', []),
                ("tests/wrong/mutants.toml", "step_size = 0.4", "step_size = 0.3", ["docs/mutants.md"]),
                ("models/quartic.cpp", "0.25", "0.5", ["docs/mutants.md"]),
                ("plugins/kernels/nuts.cpp", '.id = "nuts"', '.id = "nutz"', ["docs/compositions.md"])]:
            was = {page: fingerprint(page, root) for page in TABLES}
            text = (root / path).read_text(encoding="utf-8")
            self.assertIn(before, text, path)
            (root / path).write_text(text.replace(before, after), encoding="utf-8")
            changed = [page for page in TABLES if fingerprint(page, root) != was[page]]
            self.assertEqual(changed, list(pages), f"{path}: {after}")


class Age(unittest.TestCase):
    def test_a_page_says_once_that_it_is_older_and_takes_it_back(self):
        page = f"| a |\n\nMade at commit 0123abc, from sources {'a' * 16}.\n<!-- end of table -->\n"
        older = table_sources.with_age(page, "b" * 16)
        self.assertEqual(STALE.search(older)[1], "b" * 16)
        self.assertEqual(table_sources.with_age(older, "b" * 16), older)
        self.assertEqual(table_sources.with_age(older, "a" * 16), page)
        self.assertIsNone(table_sources.with_age("| a |\n", "a" * 16))


class Pages(unittest.TestCase):
    def text(self, page):
        return (ROOT / page).read_text(encoding="utf-8")

    def test_tables_are_of_the_present_rules_and_components(self):
        for page, (_, command) in TABLES.items():
            with self.subTest(page):
                made = STAMP.search(self.text(page))
                self.assertTrue(made, f"{page} has no stamp; {command} writes it")
                stale, now = STALE.search(self.text(page)), fingerprint(page)
                cure = (f"{command} makes the table again; until then\n"
                        f"  python3 tests/docs/support/table_sources.py stale {page}\nsays on the page that it is old")
                if made[3] == now:
                    self.assertFalse(stale, f"{page} calls itself old, and is not: the last command takes it away. {cure}")
                else:
                    self.assertTrue(stale and stale[1] == now,
                                    f"{page} was made from sources {made[3]}, which are now {now}. {cure}")

    def test_the_table_of_mutants_has_a_row_for_each_mutant(self):
        with open(ROOT / "tests/wrong/mutants.toml", "rb") as file:
            wanted = [f"{mutant['base']}: {mutant['mistake']}" for mutant in tomllib.load(file)["mutant"]]
        rows = re.findall(r"^\| ([a-z0-9-]+: [a-z0-9A-Z-]+) \|", self.text("docs/mutants.md"), re.M)
        self.assertEqual(rows, wanted)


if __name__ == "__main__":
    unittest.main()
