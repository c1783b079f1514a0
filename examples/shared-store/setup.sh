#!/bin/sh
# Joins the three Garage nodes to a cluster, and makes the key and the bucket. Run once, after `docker compose up`.
set -eu
: "${AWS_ACCESS_KEY_ID:?see README.md}" "${AWS_SECRET_ACCESS_KEY:?see README.md}"
# how to run a command of Garage on a node
run () { node=$1; shift; docker compose exec -T "$node" /garage "$@"; }

for node in garage1 garage2 garage3; do
  # it has just been started
  until run "$node" status > /dev/null 2>&1; do sleep 1; done
done

for node in garage2 garage3; do
  id=$(run "$node" node id -q)
  run garage1 node connect "${id%%@*}@$node:3901"
done

for node in garage1 garage2 garage3; do
  id=$(run "$node" node id -q)
  # a zone for each, so that each has a copy; the capacity is for the balance alone
  run garage1 layout assign -z "$node" -c 100G "${id%%@*}"
done

run garage1 layout apply --version 1
run garage1 key import --yes -n ipfsz "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY"
run garage1 bucket create ipfs
run garage1 bucket allow ipfs --read --write --key ipfsz
