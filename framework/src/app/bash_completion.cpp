// Completion for bash: tables of commands, options and values, and what looks them up.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_words.hpp"
#include "app/completion.hpp"
#include "app/completions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

namespace mixwell::app {
namespace {

/// A word stands for itself; what begins with @ is read by _mixwell_offer.
std::string tokens(const Argument& argument) {
  const Completions completions = completions_of(argument);
  std::vector<std::string> all = completions.words;
  for (const std::string& ending : completions.endings) all.push_back("@ending:" + ending);
  if (completions.has_files) all.emplace_back("@file");
  // A file may be in a folder.
  if (completions.has_folders || !completions.endings.empty()) all.emplace_back("@folder");
  if (completions.has_components) all.emplace_back("@component");
  if (argument.comma_separates) all.emplace_back("@list");
  if (argument.takes_many) all.emplace_back("@many");
  if (all.empty()) all.emplace_back("@other");
  return fmt::format("{}", fmt::join(all, " "));
}

std::string case_line(const std::string& pattern, const std::string& value) {
  return fmt::format("    '{}') reply='{}' ;;\n", pattern, value);
}

/// visit(command, "plugins show"), of every command; "" is the program.
void each(const Command& command, const std::string& name,
          const std::function<void(const Command&, const std::string&)>& visit) {
  visit(command, name);
  for (const Command* const inner : shown_commands(command))
    each(*inner, name.empty() ? inner->name : name + " " + inner->name, visit);
}

std::string commands_of(const Command& command) {
  std::vector<std::string> names;
  for (const Command* const inner : shown_commands(command)) names.push_back(inner->name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string options_of(const Command& command, bool is_program) {
  std::vector<std::string> names;
  for (const Argument& argument : command.arguments) {
    if (!is_option(argument)) continue;
    for (const std::string& name : option_names(argument)) names.push_back(name);
  }
  names.insert(names.end(), {"-h", "--help"});
  if (is_program) names.emplace_back("--version");
  return fmt::format("{}", fmt::join(names, " "));
}

std::string values_of(const Command& command, const std::string& name) {
  std::string lines;
  int place = 0;
  for (const Argument& argument : command.arguments) {
    if (!is_option(argument)) {
      lines += case_line(fmt::format("{} {}", name, ++place), tokens(argument));
    } else if (takes_value(argument)) {
      for (const std::string& option : option_names(argument))
        lines += case_line(name + " " + option, tokens(argument));
    }
  }
  return lines;
}

std::string table(const char* name, const char* key, const std::string& lines) {
  return fmt::format("{}() {{\n  case \"{}\" in\n{}    *) reply='' ;;\n  esac\n}}\n\n", name, key,
                     lines);
}

constexpr const char* look_up =
    R"bash(# _mixwell_offer TOKENS WORD: what begins with WORD, into COMPREPLY.
_mixwell_offer() {
  local token found
  for token in $1; do
    case $token in
      @folder) mapfile -t found < <(compgen -d -- "$2") ;;
      @file) mapfile -t found < <(compgen -f -- "$2") ;;
      @ending:*) mapfile -t found < <(compgen -f -X "!*.${token#*:}" -- "$2") ;;
      @component) mapfile -t found < <(compgen -W "$(_mixwell_components)" -- "$2") ;;
      @*) found=() ;;
      *) mapfile -t found < <(compgen -W "$token" -- "$2") ;;
    esac
    COMPREPLY+=("${found[@]}")
  done
}

# The table that the program prints of its plugins: id, kind, and more.
_mixwell_components() {
  "${COMP_WORDS[0]/#\~/$HOME}" plugins 2>/dev/null |
    awk 'NR > 1 { if (NF == 0) exit; print $2 "/" $1 }'
}

_mixwell() {
  local current=${COMP_WORDS[COMP_CWORD]} command='' option='' place=1 before='' reply i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      # bash cuts words there; KEY=VALUE has its value in one more word.
      [[ -n $option ]] || ((++i))
    elif [[ $word == -* ]]; then
      _mixwell_value "$command" "$word"
      option=${reply:+$word}
    elif [[ -n $option ]]; then
      [[ $reply == *@many* ]] || option=''
    else
      ((place > 1)) && reply='' || _mixwell_commands "$command"
      if [[ " $reply " == *" $word "* ]]; then
        command=${command:+$command }$word
      else
        ((++place))
      fi
    fi
  done
  # The value of KEY=VALUE, which the plugins know and this does not.
  ((i == COMP_CWORD)) || return 0
  if [[ $current == '=' ]]; then
    [[ -n $option ]] || return 0
    current=''
  fi
  if [[ -n $option ]]; then
    _mixwell_value "$command" "$option"
  elif [[ $current == -* ]]; then
    _mixwell_options "$command"
  else
    _mixwell_value "$command" "$place"
    local value=$reply
    ((place > 1)) && reply='' || _mixwell_commands "$command"
    reply="$value $reply"
  fi
  if [[ $reply == *@list* && $current == *,* ]]; then
    before=${current%,*},
    current=${current##*,}
  fi
  [[ $reply != *@folder* && $reply != *@file* ]] || compopt -o filenames 2>/dev/null
  _mixwell_offer "$reply" "$current"
  [[ -z $before ]] || COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

complete -F _mixwell mixwell
)bash";

}  // namespace

std::string bash_completion(const Command& program) {
  std::string commands;
  std::string options;
  std::string values;
  each(program, "", [&](const Command& command, const std::string& name) {
    commands += case_line(name, commands_of(command));
    options += case_line(name, options_of(command, name.empty()));
    values += values_of(command, name);
  });
  return "# Completion of mixwell for bash, as `mixwell completion bash` prints it.\n\n" +
         table("_mixwell_commands", "$1", commands) + table("_mixwell_options", "$1", options) +
         "# _mixwell_value COMMAND OPTION, or COMMAND PLACE\n" +
         table("_mixwell_value", "$1 $2", values) + look_up;
}

}  // namespace mixwell::app
