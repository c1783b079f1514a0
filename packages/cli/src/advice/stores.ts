import type { Advice } from './table.ts'

/** Stores that nodes share */
export const STORES: Advice = {
  /**
   * # was not found: mount it and try again
   *
   * The repo keeps its blocks in a store that `ipfsz init --store` created or joined, but the mark of that store,
   * `ipfsz-store.json`, is missing. Usually the file system is not mounted, and there is an empty directory in its
   * place: mount it. Until then, nothing is written there. If the message says that it contains another store, the
   * wrong file system is mounted, or the mark was recreated: a repo uses only the store that it has joined. If two
   * nodes create the store at the same moment, one of them gets this message: `ipfsz init --store PLACE` then joins
   * the store, with everything that either node has added.
   */
  StoreMissingError: '',
  'StoreMissingError other-store': ({ store }) =>
    `: mount the right one there, or join this one with ipfsz init --store "${store}"`,
  /**
   * # is not a repo, but a shared store
   *
   * `--repo` or `IPFSZ_PATH` is the directory of a store. Each node has its own repo on its own disk, with its keys
   * and caches, created by `ipfsz init --store PLACE`: use that one.
   */
  'RepoError is-store': ({ place }) => `. Create one with ipfsz init --repo DIR --store ${place}`,
  'UsageError is-store': ({ place }) =>
    `: use the repo of a node that shares it, or create one with ipfsz init --repo DIR --store ${place}`,
  'RepoError bad-reference': ': delete the file, then run ipfsz init --store again',
  'RepoError other-store':
    ': use another repo with --repo, or delete store.json in the repo to leave that store',
  'RepoError own-content': ': use a new repo with --repo',
  'RepoError shared': ': omit --blockstore-codec and --layout',
  /**
   * # is full, except for the space that a collection needs
   *
   * Adding blocks to a shared directory leaves one percent of its disk free, at most 64 MiB, because `ipfsz gc` writes
   * up to 1 MiB before it deletes blocks, and other nodes respond to it there. Run `ipfsz gc`. If everything is
   * pinned, unpin something first: `pin rm`, `rm`, `link rm` and `log --forget` need no space. If other programs have
   * filled the disk completely, free 1 MiB yourself. The same applies to the quota of a bucket: raise it by a few MB,
   * run `ipfsz gc`, and lower it again.
   */
  'StoreError full': ': run ipfsz gc, or free space otherwise, and try again',
  /**
   * # keeps each block as an object, as early versions did: it can only be read
   *
   * Nothing can be added to, pinned or deleted in such a store. `ipfsz blockstore convert --layout packs`, run once by
   * a node that uses it, moves its blocks into packs for all nodes.
   */
  'StoreError older': ': move its blocks into packs with ipfsz blockstore convert --layout packs',
  /**
   * # The store PLACE is used by
   *
   * `ipfsz blockstore convert --layout packs` moves the blocks of a store only while nobody else uses it. The message
   * names the adds and daemons that run: stop them, or wait until they have ended. What a killed process has left does
   * not count after half a minute.
   */
  'StoreError in-use': ': stop them, or wait until they have ended, and try again',
  /**
   * # are being moved into packs
   *
   * Another node runs `ipfsz blockstore convert --layout packs`: wait until it is done. If it was interrupted or
   * killed, run it on any node: it goes on where it was.
   */
  'StoreError converting': ': wait, or if that was interrupted, run ipfsz blockstore convert --layout packs',
  /**
   * # has files or objects, but no mark of a store
   *
   * A store is created only in an empty directory, or under an empty prefix of a bucket, so that garbage collection
   * cannot delete unrelated files. Use an empty one. If it is a store whose mark was deleted, restore the object
   * `ipfsz-store.json` (in a directory, the file `ipfsz-store.json.data`) from a backup: its id must match the file
   * `store.json` in the repos that use it.
   *
   * # The store PLACE failed:
   *
   * The file system of the store returned an error, which the message ends with: the network to its servers, a full
   * disk, or permissions. The repo on this node is not affected. For a store in S3, the message says whether the store
   * answered with an error status, or did not respond; `S3UrlError` says what is wrong with its URL.
   *
   * # The store PLACE is not writable:
   *
   * Its file system is mounted read-only, is full, or does not let this user write. Reading still works. Nodes that
   * run as different users need one group: `chgrp -R GROUP DIR`, `chmod -R g+w DIR`, `find DIR -type d -exec chmod g+s
   * {} +`, and `umask 002` for all of them (`UMask=0002` in a systemd unit).
   *
   * # The store did not confirm that CID is no longer pinned: run the command again
   *
   * The store in an S3 bucket did not respond, or returned the error at the end of the message. The request to unpin
   * is sent only once, because a retry could remove a pin that another node has added in the meantime. Run the command
   * again; if it then reports that the CID is not pinned, the first request succeeded after all.
   *
   * # is no longer pinned, but the store did not confirm the removal: wait 30 seconds before you pin it again
   *
   * The pin is gone. But if another node removed it, your own request may still be in transit, and would remove a pin
   * that is added in the meantime.
   *
   * # but a shared store can only pin whole trees
   *
   * Helia can pin a limited number of levels of a tree. In a shared store, another node may pin the whole tree at the
   * same time, and the last pin written would win. Pin the whole tree, or migrate to a repo without a store.
   *
   * # has version N, but this ipfsz supports only N: update it on this node
   *
   * A newer `ipfsz` on another node created the store.
   */
  StoreError: undefined,
  /**
   * # A garbage collection considered this process dead
   *
   * A process that adds to a store renews a lease every few seconds. This one did not for half a minute: the machine
   * was asleep, or the network to the store was down. Anything that it had not yet confirmed may be lost: run the
   * command again. Large blocks that are already stored are not stored again. Likewise, a garbage collection that
   * stalls for that long stops with `CollectionLostError`: run `ipfsz gc` again.
   */
  SessionLostError: ': run the command again to store what is missing',
  CollectionLostError: '. Run ipfsz gc again',
  /**
   * # Another garbage collection is running on the store:
   *
   * Only one can run at a time. Wait until it ends. A killed one is considered dead after half a minute.
   */
  CollectionRunningError: undefined,
  /**
   * # it is alive, but does not report which blocks it needs. Nothing was deleted.
   *
   * A garbage collection waits until every process that adds to the store reports which blocks it needs. It waited ten
   * minutes for the process in the message, which keeps renewing its lease but does not respond. `ipfsz` itself lets
   * its lease expire if it cannot respond for two minutes, so this is another program, or a broken one. End it, or run
   * the `ipfsz gc --evict ID` at the end of the message: anything that process adds from then on fails with
   * `SessionLostError`, and nothing that it confirmed is lost.
   */
  SilentSessionError: ({ session }) => `. End that process, or make it fail with ipfsz gc --evict ${session}`,
  'UsageError no-eviction': ': omit --evict',
  'UsageError no-session': ': run ipfsz gc without --evict',
  /**
   * # The store PLACE is unavailable:
   *
   * The store did not respond for seconds, or only reported overload (`the store only answered 429`), or its mark is
   * gone, so a daemon, a gateway, `cat`, `get` or `ls` no longer waits. The message ends with what failed. Blocks in
   * the local cache can still be read; for others, a gateway answers 503. The node checks every second whether the
   * store is back.
   */
  StoreAwayError: undefined,
  /**
   * # Cannot use the object KEY of the store:
   *
   * An object below `sessions/`, `leases/`, `collections/`, `rounds/` or `acks/` of the store is damaged, or was not
   * written by `ipfsz`; or there are more than 10,000 of a kind, not counting leftovers of killed commands. These
   * objects are only needed while commands add files or collect garbage: when none is running, delete the object.
   */
  StoreObjectError: undefined
}
