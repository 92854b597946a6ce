/// A shell with programmable completion.
package enum Shell: String, CaseIterable {
  case bash
  case zsh
  case fish

  /// The script that makes the shell complete the tool's command lines.
  ///
  /// A script contains no names of commands or options. It asks the tool for them, by ``CompleteCommand``, so an
  /// installed script never differs from the tool. Each script only does the tasks that differ from shell to shell: it
  /// collects the words up to the cursor, completes paths, and offers the candidates.
  package var script: String {
    switch self {
    case .bash: Shell.bashScript
    case .zsh: Shell.zshScript
    case .fish: Shell.fishScript
    }
  }
}

extension Shell {
  private static let bashScript = #"""
    # Completion of quire for bash, printed by 'quire completion bash'.
    # To use it in one shell: source <(quire completion bash)
    # To use it in each shell: quire completion bash > ~/.local/share/bash-completion/completions/quire

    _quire() {
      local tool=quire word line blank rest head i count kind stem part
      local -a words=()
      COMPREPLY=()
      case ${COMP_WORDS[0]} in
      '~/'*) tool=$HOME/${COMP_WORDS[0]#'~/'} ;;
      */*) tool=${COMP_WORDS[0]} ;;
      esac

      # Bash splits words at characters such as = and :, so words without a space between them belong together.
      rest=${COMP_LINE-}
      for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        blank=' '
        if [[ $rest ]]; then
          blank=${rest%%[![:blank:]]*}
          rest=${rest#"$blank"}
          # The word ends at the cursor.
          count=$((COMP_POINT - ${#COMP_LINE} + ${#rest}))
          if ((i == COMP_CWORD && count < ${#word})); then word=${word:0:(count > 0) * count}; fi
          rest=${rest#"$word"}
        elif ((i > 1)) && [[ $word =~ ^[=:]+@?$ || ${COMP_WORDS[i - 1]} =~ ^[=:]+@?$ ]]; then
          blank=
        fi
        if [[ -z $blank && ${#words[@]} -gt 0 ]]; then
          words[${#words[@]} - 1]+=$word
        else
          words+=("$word")
        fi
      done

      # Bash replaces only the part of the word behind the last = or :, or from the last @ on.
      rest=${words[${#words[@]} - 1]}
      if [[ $word =~ ^[=:@]+$ ]]; then head=$rest; else head=${rest%"$word"}; fi
      head=${head%@}

      while IFS= read -r line; do
        case $line in
        $'\t'*)
          line=${line#$'\t'}
          kind=${line%%$'\t'*}
          line=${line#*$'\t'}
          stem=${line%%$'\t'*}
          part=${line#*$'\t'}
          compopt -o filenames 2>/dev/null
          if [[ $kind == folders ]]; then kind=-d; else kind=-f; fi
          while IFS= read -r line; do
            line=$stem$line
            COMPREPLY+=("${line#"$head"}")
          done < <(compgen "$kind" -- "$part")
          ;;
        ?*)
          line=${line%%$'\t'*}
          COMPREPLY+=("${line#"$head"}")
          ;;
        esac
      done < <("$tool" complete bash -- "${words[@]:1}" 2>/dev/null </dev/null)

      # The user goes on typing behind these characters.
      if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=.\(] ]]; then
        compopt -o nospace 2>/dev/null
      fi
    }

    complete -F _quire quire

    """#

  private static let zshScript = #"""
    #compdef quire
    # Completion of quire for zsh, printed by 'quire completion zsh'.
    # To use it in one shell: source <(quire completion zsh)
    # To use it in each shell, write it to a file _quire in a folder of $fpath.

    _quire() {
      local tool=quire typed line word meaning
      local -a lines fields open closed
      case ${(Q)words[1]} in
        ('~/'*) tool=$HOME/${${(Q)words[1]}#'~/'} ;;
        (*/*) tool=${(Q)words[1]} ;;
      esac
      # Within quotes, zsh has removed the quotes itself.
      typed=$PREFIX
      [[ -z $compstate[quote] ]] && typed=${(Q)PREFIX}
      lines=("${(@f)$("$tool" complete zsh -- "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null </dev/null)}")

      for line in $lines; do
        if [[ $line == $'\t'* ]]; then
          fields=("${(@ps:\t:)line}")
          [[ -n $fields[3] ]] && compset -P "${(b)fields[3]}"
          if [[ $fields[2] == folders ]]; then _files -/; else _files; fi
          return
        fi
        word=${${line%%$'\t'*}//:/\\:}
        meaning=
        [[ $line == *$'\t'* ]] && meaning=:${line#*$'\t'}
        # The user goes on typing behind these characters.
        if [[ $word == *[=.\(] ]]; then open+=("$word$meaning"); else closed+=("$word$meaning"); fi
      done
      (( $#open )) && _describe -t values value open -S ''
      (( $#closed )) && _describe -t values value closed
      (( $#open + $#closed ))
    }

    # The file is either a function that zsh loads, or a script that a shell sources.
    if [[ $funcstack[1] == _quire ]]; then
      _quire "$@"
    elif (( $+functions[compdef] )); then
      compdef _quire quire
    fi

    """#

  private static let fishScript = #"""
    # Completion of quire for fish, printed by 'quire completion fish'.
    # To use it in one shell: quire completion fish | source
    # To use it in each shell: quire completion fish > ~/.config/fish/completions/quire.fish

    function __quire_complete
        set -l words (commandline -opc)
        set -l word (commandline -ct)
        set -l tool quire
        switch "$words[1]"
            case '~/*'
                set tool (string replace '~' $HOME -- $words[1])
            case '*/*'
                set tool $words[1]
        end
        for line in ($tool complete fish -- $words[2..] "$word" 2>/dev/null </dev/null)
            if not string match -q -- \t'*' $line
                echo $line
                continue
            end
            set -l fields (string split \t -- $line)
            set -l paths
            if test "$fields[2]" = folders
                set paths (__fish_complete_directories $fields[4] '')
            else
                set paths (__fish_complete_path $fields[4])
            end
            for path in $paths
                echo $fields[3]$path
            end
        end
    end

    complete -c quire -f -a '(__quire_complete)'

    """#
}
