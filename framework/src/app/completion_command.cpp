// mixwell completion: prints a script that a shell uses to complete command lines of the program.
// mixwell complete: prints the possible completions of the last word. The script calls it.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "base/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace mixwell::app {
namespace {

constexpr const char* bash_script =
    R"bash(# Bash completion, from `mixwell completion bash`. The program named on the
# command line prints one completion per line. A line is a word, a tab and the meaning of the word.
# The line "@folder" stands for all folders. A line with "@file", a tab and a pattern stands for the
# files that match the pattern.
_mixwell() {
  local current=${COMP_WORDS[COMP_CWORD]} word meaning kind
  [[ $current != '=' ]] || current=''
  COMPREPLY=()
  while IFS=$'\t' read -r word meaning; do
    case $word in
      @folder) kind=(-d) ;;
      @file) kind=(-f -X "!$meaning") ;;
      *) [[ $word != "$current"* ]] || COMPREPLY+=("$word")
         continue ;;
    esac
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "${kind[@]}" -- "$current")
  done < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -F _mixwell mixwell
)bash";

constexpr const char* zsh_script =
    R"zsh(#compdef mixwell
# Zsh completion, from `mixwell completion zsh`. The program named on the
# command line prints one completion per line. A line is a word, a tab and the meaning of the word.
# The line "@folder" stands for all folders. A line with "@file", a tab and a pattern stands for the
# files that match the pattern.
_mixwell() {
  local word meaning folder
  local -a found patterns line=("${(@Q)words[2,CURRENT]}")
  if [[ $line[-1] == -*=* ]]; then
    compset -P '*='
    line[-1]=("${line[-1]%%=*}" '=' "${line[-1]#*=}")
  fi
  while IFS=$'\t' read -r word meaning; do
    case $word in
      @folder) folder=1 ;;
      @file) patterns+=("$meaning") ;;
      *) found+=("${word//:/\\:}${meaning:+:$meaning}") ;;
    esac
  done < <(${~words[1]} complete -- "$line[@]" 2>/dev/null)
  (( ! $#found )) || _describe word found
  if (( $#patterns )); then
    _files -g "(${(j:|:)patterns}|)"
  elif [[ -n $folder ]]; then
    _files -/
  fi
}

if [[ $funcstack[1] == _mixwell ]]; then
  _mixwell "$@"
else
  compdef _mixwell mixwell
fi
)zsh";

/// Prints a line for the script: a word with its meaning, or `@file` with a pattern, or `@folder`.
void offer(std::string_view word, std::string_view meaning = "") {
  fmt::print("{}\t{}\n", word, meaning);
}

/// Offers completions for one of the alternatives of Argument::type.
void offer_type(std::string_view type) {
  const std::size_t point = type.find('.');
  if (type == "KIND/ID") {
    const Registry registry = load_registry();
    for (const Entry& entry : registry.entries())
      offer(fmt::format("{}/{}", to_string(entry.kind), entry.description.id),
            entry.description.summary);
  } else if (type == "FILE") {
    offer("@file", "*");
  } else if (type.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == type.npos) {
    offer(type);
  } else if (type == "DIR" || (point != type.npos && type.find('[') == type.npos)) {
    if (point != type.npos) offer("@file", fmt::format("*{}", type.substr(point)));
    offer("@folder");  // the file may be in a folder
  }
}

/// Offers values of an argument that begin with `begun`. For a list, completes its last value.
void offer_values(const Argument& argument, const std::string& begun) {
  const std::size_t before = argument.comma_separates ? begun.rfind(',') + 1 : 0;
  for (const auto* const words : {&argument.choices, &argument.words})
    for (const std::string& word : *words) offer(begun.substr(0, before) + word);
  if (argument.type.empty()) return;
  for (const std::string_view type : split(argument.type, '|')) offer_type(type);
}

/// The state after reading some words of a command line.
struct Line {
  const Command* command;
  const Argument* option = nullptr;  ///< the option whose value comes next
  int place = 0;                     ///< index of the next positional
  std::set<std::string> given = {};  ///< options that were given
};

void read(Line& line, const std::string& word) {
  const Argument* const open = std::exchange(line.option, nullptr);
  if (word.starts_with('-')) {
    line.given.insert(word);
    for (const Argument& argument : line.command->arguments)
      for (const std::string& name : option_names(argument))
        if (name == word && takes_value(argument)) line.option = &argument;
  } else if (open != nullptr) {
    if (open->takes_many) line.option = open;
  } else {
    for (const Command& inner : line.command->commands)
      if (line.place == 0 && inner.name == word) return void(line = {&inner});
    ++line.place;
  }
}

/// Offers the options that may still be given.
void offer_options(const Line& line) {
  for (const Argument& argument : line.command->arguments) {
    const std::vector<std::string> names = option_names(argument);
    const bool is_given = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return line.given.contains(name);
    });
    const bool repeats = std::holds_alternative<std::vector<std::string>*>(argument.value);
    if (!is_option(argument) || (is_given && !repeats)) continue;
    for (const std::string& name : names) offer(name, argument.help);
  }
  for (const char* const name : {"-h", "--help"}) offer(name, "Print help");
}

void offer_next(const Line& line, const std::string& begun) {
  if (line.option != nullptr) return offer_values(*line.option, begun);
  if (begun.starts_with('-')) return offer_options(line);
  int place = 0;
  for (const Argument& argument : line.command->arguments)
    if (!is_option(argument) && place++ == line.place) offer_values(argument, begun);
  if (line.place > 0) return;
  for (const Command* const inner : shown_commands(*line.command))
    offer(inner->name, inner->purpose);
}

/// Accepts words that are split at `=`, as bash splits them. Offers nothing for the value of
/// KEY=VALUE, because only plugins know the valid values.
ExitCode complete(const Command& program, const std::vector<std::string>& words) {
  Line line{&program};
  if (words.size() == 1 && words[0].starts_with('-')) offer("--version", "Print the version");
  for (std::size_t k = 0; k < words.size(); ++k) {
    const bool is_cut = words[k] == "=";
    if (is_cut && line.option == nullptr)
      ++k;
    else if (k + 1 == words.size())
      offer_next(line, is_cut ? "" : words[k]);
    else if (!is_cut)
      read(line, words[k]);
  }
  return ExitCode::ok;
}

}  // namespace

Command completion_command() {
  const auto shell = std::make_shared<std::string>();
  return {
      .name = "completion",
      .purpose = "Print a shell script that completes mixwell commands and options",
      .arguments = {{"shell",
                     shell.get(),
                     "Shell for which to print the script",
                     {.choices = {"bash", "zsh"}}}},
      .example = "source <(mixwell completion bash)",
      .notes =
          "Installing Mixwell also installs these scripts where shells find them. If Mixwell is\n"
          "not installed, add a line to the startup file of your shell. For bash, add\n"
          "source <(mixwell completion bash) to ~/.bashrc. For zsh, add\n"
          "source <(mixwell completion zsh) to ~/.zshrc, after compinit.",
      .action = [shell] {
        fmt::print("{}", *shell == "bash" ? bash_script : zsh_script);
        return ExitCode::ok;
      }};
}

Command complete_command(Command (*program)()) {
  const auto words = std::make_shared<std::vector<std::string>>();
  return {.name = "complete",
          .purpose = "Print completions (used only by the script of `mixwell completion`)",
          .arguments = {{"words",
                         words.get(),
                         "Words typed after the program's name; the last one may be incomplete",
                         {.optional = true, .takes_many = true}}},
          .action = [words, program] { return complete(program(), *words); },
          .is_hidden = true};
}

}  // namespace mixwell::app
