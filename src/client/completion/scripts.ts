/**
 * The completion scripts of the shells. Each calls the hidden command `__complete` with the words up to the cursor; the
 * last word may be empty. The command prints one candidate per line, with its description after a tab. `:files` and
 * `:dirs` ask the shell for its own paths.
 * Invariant: imports nothing, because every command loads it.
 */

export const COMPLETE = '__complete';
export const FILES = ':files';
export const DIRS = ':dirs';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

// macOS has bash 3.2, so this uses no mapfile, and compopt may be missing.
const BASH = `# Completes ralphctl in bash. To use it: source <(ralphctl completion bash)
_ralphctl() {
  local IFS=$'\\n' program=\${COMP_WORDS[0]/#\\~/$HOME} current=\${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  for line in $("$program" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    case $line in
      ${FILES}) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")) ;;
      ${DIRS}) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$current")) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done
}
complete -F _ralphctl ralphctl
`;

const ZSH = `#compdef ralphctl
# Completes ralphctl in zsh. To use it: source <(ralphctl completion zsh), after compinit;
# or write it to a file named _ralphctl in a folder of $fpath.
_ralphctl() {
  local line value
  local -a found
  for line in "\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" ${COMPLETE} "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      ${FILES}) _files ;;
      ${DIRS}) _files -/ ;;
      ?*)
        value=\${line%%$'\\t'*}
        if [[ $line == *$'\\t'* ]]; then found+=("\${value//:/\\\\:}:\${line#*$'\\t'}"); else found+=("\${value//:/\\\\:}"); fi
        ;;
    esac
  done
  (( \${#found} )) && _describe -V ralphctl found
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _ralphctl "$@"; else compdef _ralphctl ralphctl; fi
`;

const FISH = `# Completes ralphctl in fish. To use it: ralphctl completion fish | source
function __ralphctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    test (count $current) -eq 0; and set current ''
    set -l program (string replace -r '^~' $HOME -- $words[1])
    for line in ($program ${COMPLETE} $words[2..] $current 2>/dev/null)
        switch $line
            case ${FILES}
                __fish_complete_path $current
            case ${DIRS}
                __fish_complete_directories $current
            case '*'
                echo $line
        end
    end
end
complete -c ralphctl -f -k -a '(__ralphctl_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const completionScript = (shell: Shell): string => SCRIPTS[shell].trimEnd();
