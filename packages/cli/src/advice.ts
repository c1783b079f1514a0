/** Fields that tell errors of one name apart. */
interface Fields {
  problem?: string
  reason?: string
  limit?: string
  hint?: string
  key?: string | undefined
  cid?: { toString: () => string } | undefined
  place?: string
  session?: string
  store?: string
}

/** Advice that may free space. */
export const GC_ADVICE = 'If the repo is on that disk, ipfsz gc frees space: it deletes unpinned blocks'

/** What to do about an error, with options and commands: its own message says only what happened. */
const ADVICE: Readonly<Record<string, string | ((fields: Fields) => string | undefined)>> = {
  ConfigError: ({ key }) => key == null
    ? ': mend the file, delete it, or use --no-config'
    : `: remove it with ipfsz config rm ${key}`,
  NotPinnedError: ': list the pins with ipfsz pin ls',
  NotLinkedError: ': list the links with ipfsz link ls',
  NoHistoryError: ': list all histories with ipfsz log',
  'OutputTooLargeError size': '. To write it anyway, raise --max-size',
  'OutputTooLargeError files': '. To write it anyway, raise --max-files',
  NoRoomError: `. Free some space, or write to another disk with -o. ${GC_ADVICE}`,
  'TreeEntryError exists': ': overwrite it with --force, or choose another path',
  'TreeEntryError in-the-way': ': choose another path with --output',
  'TreeEntryError is-directory': ': to write into it, end the path in a slash; for a CAR, add a file name',
  'TreeEntryError bad-name': ': rename it, or skip it with --ignore',
  'TreeEntryError bad-target': ': recreate it, or skip it with --ignore',
  'TreeEntryError not-addable': ': skip it with --ignore',
  'TreeEntryError leads-out': ': use --allow-symlinks to allow it',
  'UsageError not-a-cid': ': use a CID, such as one that ipfsz add printed, the name of a pin, or /ipns/NAME',
  'UsageError is-store': ({ place }) =>
    `: use the repo of a node that shares it, or create one with ipfsz init --repo DIR --store ${place}`,
  'UsageError from-kubo': ({ place }) =>
    `: start Kubo, and run ipfsz import --from-kubo ${place}, or pass each CID through ` +
      'ipfs dag export CID | ipfsz car import -',
  'UsageError to-kubo': ': import into it with ipfsz car export CID -o - | ipfs dag import',
  'UsageError not-regular': ': to write to it, use --output - and redirect stdout',
  'UsageError packs-compress': ': omit the codec, or keep blocks as files with --layout files',
  'UsageError keeps-none':
    ': use --keep-last, --keep-daily or another of the --keep-... options. To forget all, run ipfsz log --forget NAME',
  'UsageError needs-name': ': set one with --name',
  'UsageError one-name': ', or omit --name',
  'UsageError no-eviction': ': omit --evict',
  'UsageError nobody-to-fetch-from':
    ': start one with ipfsz daemon, or specify a peer with --peer, a gateway with --gateway, or a router with --router',
  'UsageError no-session': ': run ipfsz gc without --evict',
  'NothingPinnedError nothing-pinned':
    ': pin what you want to keep with ipfsz pin add CID, or delete everything with --force',
  'NothingPinnedError no-pins-yet': ': pin what you want to keep with ipfsz pin add CID, then use --force once',
  PinRecordError: ({ cid }) =>
    cid == null ? undefined : `: rewrite it with ipfsz pin add ${cid}, or delete it with ipfsz pin rm ${cid}`,
  PrivateAddressError: ': use --allow-local to fetch from it',
  DaemonRunningError: ': stop it first, or use another repo with --repo',
  SilentSessionError: ({ session }) => `. End that process, or make it fail with ipfsz gc --evict ${session}`,
  CollectionLostError: '. Run ipfsz gc again',
  SessionLostError: ': run the command again to store what is missing',
  'StoreMissingError other-store': ({ store }) =>
    `: mount the right one there, or join this one with ipfsz init --store "${store}"`,
  'StoreError full': ': run ipfsz gc, or free space otherwise, and try again',
  'StoreError other-codec': ': omit --blockstore-codec and --blockstore-level',
  'RepoError bad-reference': ': delete the file, then run ipfsz init --store again',
  'RepoError damaged-history':
    ': delete its file in the repo\'s directory datastore or its object in the store, or delete the history with ' +
      'ipfsz log --forget NAME',
  'RepoError is-store': ({ place }) => `. Create one with ipfsz init --repo DIR --store ${place}`,
  'RepoError no-cache':
    '. Make the repo writable, or disable the cache with --cache none (daemon: --gateway-cache none)',
  'RepoError not-a-directory': ': use another path with --repo or IPFSZ_PATH',
  'RepoError other-index': ': use the ipfsz that created it, or delete the file and run ipfsz originals index',
  'RepoError read-only': '. Make it writable, or use another repo with --repo',
  'RepoError missing': ': add a file first, or use another repo with --repo or IPFSZ_PATH',
  'RepoError no-home': '. Set it, or choose a repo with --repo or IPFSZ_PATH',
  'RepoError shared': ': omit --blockstore-codec and --layout',
  'RepoError other-layout': ': to change that, run ipfsz blockstore convert --layout',
  'RepoError other-codec': ': to change that, run ipfsz blockstore convert',
  'RepoError other-store':
    ': use another repo with --repo, or delete store.json in the repo to leave that store',
  'RepoError own-content': ': use a new repo with --repo',
  'DaemonError no-answer': ': restart it with ipfsz daemon',
  'DaemonError no-id': ': run ipfsz daemon once to create it',
  'DaemonError no-network': ': start a daemon with ipfsz daemon, or specify a peer with --peer',
  'DaemonError not-running': ': start one with ipfsz daemon',
  'NameError no-record': '. Ask its owner to publish it again, with ipfsz name publish',
  'NameError not-a-name': '. ipfsz name publish prints one: k51...',
  'NameError not-stored': '. Check the connected peers with ipfsz peers',
  'NameError offline': ': run ipfsz daemon, or specify a peer with --peer or a gateway with --gateway',
  'NameError timeout': '. Allow more time with --timeout'
}

/** The options that errors are about. */
const OPTIONS: Readonly<Record<string, string>> = {
  'UsageError no-host-name': '--host: ',
  'UsageError no-proxy': '--trust-proxy: '
}

/**
 * The message of an error, with what the command advises, or else with the hint of the error. Undefined if there is
 * neither.
 *
 * @param message - what happened, as users read it
 */
export function adviceFor (err: Error, message: string): string | undefined {
  const fields = err as Error & Fields
  const { problem, reason, limit, hint } = fields
  const field = [problem, reason, limit].find(value => typeof value === 'string')
  const key = `${err.name} ${field ?? ''}`
  const text = `${OPTIONS[key] ?? ''}${message}`
  const found = ADVICE[key] ?? ADVICE[err.name]
  const advice = typeof found === 'function' ? found(fields) : found

  if (advice != null) {
    return `${text}${advice}`
  }

  if (typeof hint === 'string') {
    return `${text}: ${hint}`
  }

  return key in OPTIONS ? text : undefined
}
