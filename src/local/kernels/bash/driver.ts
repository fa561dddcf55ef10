/**
 * The Bash driver. A request is a line of words: the operation, then values in base64, because Bash
 * cannot read JSON. A cell runs in the shell itself, so variables, functions and the working folder
 * stay; standard streams and the options that would end the shell are set up again after it. A cell
 * that calls `exit` ends its shell: that is a crash of the kernel, as it is in Jupyter's.
 * `@{` stands for `${`, which a template string cannot hold.
 */
export const BASH_DRIVER = String.raw`
exec 3<&0 4>&1 5>&2 </dev/null
__cubeshift_frames=0
__cubeshift_send() {
  printf '\036%s:%d:.%s\n' "$__cubeshift_nonce" "$__cubeshift_frames" "$1" >&"$2"
  __cubeshift_frames=$((__cubeshift_frames + 1))
}
__cubeshift_done() {
  __cubeshift_send '{"t":"done"}' 4
  __cubeshift_send '{"t":"done"}' 5
}
__cubeshift_decode() { base64 -d <<<"$1"; }
# "return" in a trap leaves the function that the signal came in: the cell, or a function of its.
__cubeshift_run() {
  trap 'return 130' INT
  __cubeshift_send '{"t":"running"}' 4 || return 130
  eval "$1" 3<&- 4>&- 5>&-
}

__cubeshift_cell() {
  local __cubeshift_status __cubeshift_code __cubeshift_pair __cubeshift_old=
  __cubeshift_code=$(__cubeshift_decode "$1"; printf x)
  shift
  for __cubeshift_pair; do
    local __cubeshift_name=@{__cubeshift_pair%%=*}
    if declare -p "$__cubeshift_name" >/dev/null 2>&1; then
      __cubeshift_old+="$(declare -p "$__cubeshift_name" | sed '1s/^declare /declare -g /');"
    else
      __cubeshift_old+="unset $__cubeshift_name;"
    fi
    export "$__cubeshift_name=$(__cubeshift_decode "@{__cubeshift_pair#*=}")"
  done
  if __cubeshift_run "@{__cubeshift_code%x}"; then __cubeshift_status=0; else __cubeshift_status=$?; fi
  trap '' INT
  { set +eux; } 2>/dev/null
  exec </dev/null 1>&4 2>&5
  eval "$__cubeshift_old"
  if [ "$__cubeshift_status" -ne 0 ]; then
    __cubeshift_send "{\"t\":\"error\",\"name\":\"\",\"value\":\"$__cubeshift_status\",\"traceback\":\"\"}" 4
  fi
}

trap '' INT
while IFS=' ' read -r -a __cubeshift_words <&3; do
  case @{__cubeshift_words[0]} in
    start)
      __cubeshift_nonce=@{__cubeshift_words[1]}
      if [ -n "@{__cubeshift_words[2]}" ] && ! cd -- "$(__cubeshift_decode "@{__cubeshift_words[2]}")"; then
        __cubeshift_send '{"t":"refused","reason":"the working folder cannot be entered"}' 4
        exit 1
      fi
      ;;
    run) __cubeshift_cell "@{__cubeshift_words[@]:1}" ;;
  esac
  trap '' INT
  __cubeshift_done
done
`.replaceAll('@{', '${');
