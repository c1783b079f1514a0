/** Fields that tell errors of one name apart. */
interface Fields {
  problem?: string
  reason?: string
  limit?: string
  hint?: string
}

/** Advice that may free space. */
export const GC_ADVICE = 'If the repo is on that disk, ipfsz gc frees space: it deletes unpinned blocks'

/** What to do about an error, with options and commands: its own message says only what happened. */
const ADVICE: Readonly<Record<string, string>> = {
  NotPinnedError: ': list the pins with ipfsz pin ls',
  NotLinkedError: ': list the links with ipfsz link ls',
  NoHistoryError: ': list all histories with ipfsz log',
  'OutputTooLargeError size': '. To write it anyway, raise --max-size',
  'OutputTooLargeError files': '. To write it anyway, raise --max-files',
  NoRoomError: `. Free some space, or write to another disk with -o. ${GC_ADVICE}`,
  'TreeEntryError exists': ': overwrite it with --force, or choose another path with --output',
  'TreeEntryError in-the-way': ': choose another path with --output',
  'TreeEntryError is-directory': ': to write into it, append a slash to the path, and to a CAR, a name',
  'UsageError not-regular': ': to write to it, use --output - and redirect stdout',
  'UsageError needs-name': ': set one with --name',
  'UsageError one-name': ', or omit --name',
  'UsageError no-eviction': ': omit --evict',
  'UsageError nobody-to-fetch-from':
    ': start one with ipfsz daemon, or specify a peer with --peer, a gateway with --gateway, or a router with --router',
  'UsageError no-session': ': run ipfsz gc without --evict',
  'NothingPinnedError nothing-pinned':
    ': pin what you want to keep with ipfsz pin add CID, or delete everything with --force',
  'NothingPinnedError no-pins-yet': ': pin what you want to keep with ipfsz pin add CID, then use --force once',
  'RepoError missing': ': add a file first, or use another repo with --repo or IPFSZ_PATH',
  'RepoError no-home': '. Set it, or choose a repo with --repo or IPFSZ_PATH',
  'RepoError shared': ': omit --blockstore-codec',
  'RepoError other-codec': ': to change that, run ipfsz blockstore convert',
  'RepoError other-store':
    ': use another repo with --repo, or delete store.json in the repo to leave that store',
  'RepoError own-content': ': use a new repo with --repo',
  'DaemonError no-answer': ': restart it with ipfsz daemon',
  'DaemonError no-id': ': run ipfsz daemon once to create it',
  'DaemonError no-network': ': start a daemon with ipfsz daemon, or specify a peer with --peer',
  'DaemonError not-running': ': start one with ipfsz daemon',
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
  const { problem, reason, limit, hint } = err as Error & Fields
  const field = [problem, reason, limit].find(value => typeof value === 'string')
  const key = `${err.name} ${field ?? ''}`
  const text = `${OPTIONS[key] ?? ''}${message}`
  const advice = ADVICE[key] ?? ADVICE[err.name]

  if (advice != null) {
    return `${text}${advice}`
  }

  if (typeof hint === 'string') {
    return `${text}: ${hint}`
  }

  return key in OPTIONS ? text : undefined
}
