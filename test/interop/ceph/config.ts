/** Where a cluster is. */
export interface CephPlace {
  directory: string
  fsid: string
  monitorPort: number
  /** The room of each storage daemon, in bytes. */
  storageSize: number
  /** Of each pool. */
  placementGroups: number
}

/**
 * The configuration of a cluster on loopback with one monitor and three storage daemons, each of which has a copy of
 * every object. It works while two of them do. Nothing leaves the directory, and memory is small: caches of 32 MiB.
 *
 * There is no manager: it balances and reports, and objects need neither.
 */
export function cephConfig (
  { directory, fsid, monitorPort, storageSize, placementGroups }: CephPlace
): string {
  return `[global]
fsid = ${fsid}
mon host = v2:127.0.0.1:${monitorPort}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
auth allow insecure global id reclaim = false
keyring = ${directory}/keyring
run dir = ${directory}/run
log file = ${directory}/log/$name.log
mon data = ${directory}/mon.$id
osd data = ${directory}/osd.$id
osd crush chooseleaf type = 0
osd pool default size = 3
osd pool default min size = 2
osd pool default pg num = ${placementGroups}
osd pool default pgp num = ${placementGroups}
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
mon data avail warn = 1
mon data avail crit = 1
mon osd min down reporters = 1
osd objectstore = bluestore
bluestore block size = ${storageSize}
bluestore block create = true
bluestore block db path =
bluestore block wal path =
bluestore cache autotune = false
bluestore cache size = 33554432
rgw run sync thread = false
rgw enable gc threads = false
rgw enable lc threads = false
[osd]
keyring = ${directory}/osd.$id/keyring
`
}
