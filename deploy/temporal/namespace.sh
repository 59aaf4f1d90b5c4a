#!/bin/sh
# Prepares a namespace for ralphctl: 30 days of retention and the search attributes of src/protocol/names.ts. Safe to run
# again: it never lowers a retention that a person raised. Runs as a job of docker-compose.yml, and by hand against any
# self-hosted cluster:
#
#   TEMPORAL_ADDRESS=host:7233 TEMPORAL_NAMESPACE=default sh deploy/temporal/namespace.sh
#
# Needs the temporal CLI, which reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and the TEMPORAL_TLS* variables by itself.
set -eu

: "${TEMPORAL_ADDRESS:?set it to host:port of the Temporal server}"
: "${TEMPORAL_NAMESPACE:=default}"
export TEMPORAL_NAMESPACE
retention_hours=720
tries=${NAMESPACE_JOB_TRIES:-60}

operator() {
  temporal operator "$@" --namespace "$TEMPORAL_NAMESPACE" --command-timeout 10s
}

# Seconds of retention in the JSON of `namespace describe`.
retention_in() {
  printf '%s\n' "$1" | sed -n 's/.*"workflowExecutionRetentionTtl": *"\([0-9][0-9]*\).*/\1/p'
}

ensure_namespace() {
  description=$(operator namespace describe --output json 2>&1) || {
    operator namespace create --retention "${retention_hours}h" || return 1
    return 0
  }
  seconds=$(retention_in "$description")
  if [ -z "$seconds" ]; then
    echo "no retention in the answer of 'temporal operator namespace describe': $description"
    return 1
  fi
  [ "$seconds" -ge $((retention_hours * 3600)) ] || operator namespace update --retention "${retention_hours}h"
}

# One call: each --name goes with the --type at the same place.
ensure_search_attributes() {
  operator search-attribute create \
    --name RalphProject --type Keyword \
    --name RalphState --type Keyword \
    --name RalphIdea --type Keyword \
    --name RalphIteration --type Int
}

# The server takes a moment until queries may use a new attribute; a run that starts before that would be refused.
ready_for_runs() {
  temporal workflow count --namespace "$TEMPORAL_NAMESPACE" --command-timeout 10s --query \
    "RalphProject = 'none' AND RalphState = 'none' AND RalphIdea = 'none' AND RalphIteration = 0"
}

# name of the step, for messages; function
until_done() {
  left=$tries
  until answer=$("$2" 2>&1); do
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      echo "namespace job: could not $1 at $TEMPORAL_ADDRESS: $answer" >&2
      echo "namespace job: is the server up? Look at: docker compose logs temporal" >&2
      exit 1
    fi
    sleep 1
  done
  echo "namespace job: $1: done"
}

until_done "prepare namespace $TEMPORAL_NAMESPACE" ensure_namespace
until_done 'register the search attributes' ensure_search_attributes
until_done 'see the search attributes in use' ready_for_runs
