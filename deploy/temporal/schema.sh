#!/bin/sh
# Creates Temporal's two databases and brings their tables to the version of this image. Safe to run again: what exists
# stays, and only missing schema versions are applied. Needs temporal-sql-tool, which reads SQL_HOST, SQL_PORT, SQL_USER,
# SQL_PASSWORD and SQL_PLUGIN by itself, so that no password stands on a command line.
set -eu

: "${SQL_HOST:?set it to the host of PostgreSQL}"
: "${SQL_PORT:?set it to the port of PostgreSQL, usually 5432}"
: "${SQL_USER:?set it to a PostgreSQL user that may create databases}"
: "${SQL_PASSWORD:?set it to the password of that user}"
: "${SQL_PLUGIN:?set it to postgres12}"

# database, and the name of its schema inside temporal-sql-tool
prepare() {
  echo "schema job: preparing database $1"
  temporal-sql-tool --database "$1" create-database
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "$2"
}

failed() {
  echo "schema job: failed at $SQL_HOST:$SQL_PORT as user $SQL_USER; the reason stands above." >&2
  echo 'schema job: was the password refused? The database keeps the one that it was made with: docs/deploy.md, "Password".' >&2
  exit 1
}
trap '[ $? -eq 0 ] || failed' EXIT

prepare temporal postgresql/v12/temporal
prepare temporal_visibility postgresql/v12/visibility
echo 'schema job: done'
