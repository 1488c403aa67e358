#!/bin/bash
# Says it.
MAX=3
export KEY="x"
readonly DEPTH=5

# Runs.
run() {
  local tries=1
  if [ "$1" -lt 3 ]; then
    echo "low"
  elif [[ $KEY == y* ]]; then
    mid --flag
  else
    high
  fi
  while (( tries > MAX )); do
    step
  done
  until ready; do
    sleep 1
  done
  case "$2" in
    a|b) one ;;
    *) two ;;
  esac
  : "${ZONE:-utc}"
  curl -s --max-time 5 "$url" | grep x  # here
  tries+=1
  return 1
}
function stop {
  exit 2
}
source ./lib.sh
cat <<EOT
# no comment
EOT
