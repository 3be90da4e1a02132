// mixwell completion: a script by which a shell completes command lines of the program; and mixwell
// complete, which the script asks what the last word of a line may become.
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
    R"bash(# Completion of mixwell for bash, as `mixwell completion bash` prints it: the program that is typed says
# what may follow, a word or a place to look and a meaning on each line.
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
# Completion of mixwell for zsh, as `mixwell completion zsh` prints it: the program that is typed says
# what may follow, a word or a place to look and a meaning on each line.
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

/// A line for the script: a word, or where the shell has to look: `@file` and a pattern, `@folder`.
void offer(std::string_view word, std::string_view meaning = "") {
  fmt::print("{}\t{}\n", word, meaning);
}

/// One of the alternatives of Argument::type.
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
    offer("@folder");  // the file may be in one
  }
}

/// What may stand as the value of an argument after `begun`; of a list, as its last value.
void offer_values(const Argument& argument, const std::string& begun) {
  const std::size_t before = argument.comma_separates ? begun.rfind(',') + 1 : 0;
  for (const auto* const words : {&argument.choices, &argument.words})
    for (const std::string& word : *words) offer(begun.substr(0, before) + word);
  if (argument.type.empty()) return;
  for (const std::string_view type : split(argument.type, '|')) offer_type(type);
}

/// How far a command line has been read.
struct Line {
  const Command* command;
  const Argument* option = nullptr;  ///< its value comes next
  int place = 0;                     ///< of the next positional
  std::set<std::string> given = {};  ///< options
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

/// Those that may still be given.
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

/// Words may be cut at `=`, as bash does. The value of KEY=VALUE only the plugins know.
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
  return {.name = "completion",
          .purpose = "Print a script by which a shell completes the commands of Mixwell",
          .arguments = {{"shell", shell.get(), "The shell", {.choices = {"bash", "zsh"}}}},
          .example = "source <(mixwell completion bash)",
          .notes =
              "An installation has the scripts where shells look for them. Elsewhere, a line\n"
              "such as that of the example belongs into ~/.bashrc or, after compinit, ~/.zshrc.",
          .action = [shell] {
            fmt::print("{}", *shell == "bash" ? bash_script : zsh_script);
            return ExitCode::ok;
          }};
}

Command complete_command(Command (*program)()) {
  const auto words = std::make_shared<std::vector<std::string>>();
  return {.name = "complete",
          .purpose = "Serve the scripts of `mixwell completion`; not for use by hand",
          .arguments = {{"words",
                         words.get(),
                         "What is typed after the program's name; the last one is begun",
                         {.optional = true, .takes_many = true}}},
          .action = [words, program] { return complete(program(), *words); },
          .is_hidden = true};
}

}  // namespace mixwell::app
