import type { Advice } from './table.ts'

/** Whether a gateway was not asked because its address is not public. */
function isRefusedAddress (err: unknown): boolean {
  return err instanceof Error && (
    err.name === 'PrivateAddressError' || isRefusedAddress(err.cause) ||
      ('failures' in err && Array.isArray(err.failures) && err.failures.some(isRefusedAddress))
  )
}

/** Finding and fetching */
export const FETCHING: Advice = {
  /**
   * # The block CID was not found: not in this repo.
   *
   * The block is not in the repo, and no other node could be asked: the command ran with `--offline`, or off the
   * public network (`IPFSZ_BOOTSTRAP=none`), or it uses only the repo, as `verify` does.
   *
   * - Run `ipfsz daemon` in another terminal, and try again without `--offline`.
   * - Or specify a node that has the file: `--peer MULTIADDR` or `--gateway URL`.
   * - Is it the right repo? The message ends with its path, and with its store if it uses one. `ipfsz pin ls` lists
   *   its pins. `--repo` and `IPFSZ_PATH` select another repo.
   *
   * # The directory CID has no entry named "NAME"
   *
   * `ipfsz ls CID` lists the names. They are case-sensitive.
   */
  NotFoundError: ({ cid }) => cid == null
    // an error without a CID says that a directory has no such entry
    ? ''
    : ': not in this repo. To fetch it, run ipfsz daemon, or specify a peer with --peer or a gateway with --gateway',
  /**
   * # Nothing arrived for N s while waiting for the block CID
   *
   * Other nodes were asked, but none sent the block in time. The message ends with how many were found.
   *
   * - **no provider was found**: no node advertises the CID. Check it for typos. Ask the owner whether their node is
   *   running. Specify their node with `--peer`.
   * - **did not send it**: the providers advertise the file, but cannot be reached or no longer have it. Wait longer
   *   with `--timeout 5m`, or specify another node.
   * - **`The only peer that was asked does not have the block`**, or `The 3 peers that were asked do not have the
   *   block`: the same error, without waiting. All peers that you specified with `--peer` lack it, and a search in the
   *   DHT found no other node that has it, or there is no DHT to ask.
   * - Nodes behind a NAT are often unreachable from outside: see [share](guide/run-a-daemon-and-share.md#share).
   */
  FetchStalledError: ({ asked }) => asked == null
    ? ': specify a peer that has it with --peer, or wait longer with --timeout'
    : ': specify one that has it with --peer, or a gateway with --gateway',
  /**
   * # No gateway sent the block CID:
   *
   * The HTTP gateways that you specified failed, and no peer could be asked. The message lists why each one failed: it
   * could not be reached, answered with an error status, was too slow, or sent wrong bytes.
   */
  GatewaysFailedError: err => isRefusedAddress(err)
    ? ': use --allow-local to fetch from it, or try another gateway with --gateway, or a peer with --peer'
    : '. Try another gateway with --gateway, or a peer with --peer',
  /**
   * # the router URL lists no HTTP gateway for CID
   *
   * The router from `--router` knows no provider of this content over HTTP, or its response was invalid: the message
   * says which. Specify a gateway with `--gateway`, or a peer with `--peer`.
   */
  RouterError: undefined,
  /**
   * # HOST has the address ADDRESS, which is not public: use --allow-local to fetch from it
   *
   * A router listed a gateway in a private network, or on your own machine. An attacker could abuse this to send
   * requests to devices in your network. If you trust the gateway, pass it with `--gateway`, or use `--allow-local`.
   */
  PrivateAddressError: ': use --allow-local to fetch from it',
  /**
   * # Cannot connect to ADDRESS:
   *
   * The peer did not answer at this address. It may be offline, or its address may have changed. Run `ipfsz id` (with
   * Kubo: `ipfs id`) there, and use one of the addresses that it prints. An address such as `/ip4/192.168.1.5/...`
   * works only in the same network, and `/ip4/127.0.0.1/...` only on the same machine.
   */
  NotConnectedError: ': check the address, and that the peer is running',
  /**
   * # is not the URL of a gateway:
   *
   * Use the URL without a path, as in `--gateway http://127.0.0.1:8080`.
   */
  InvalidGatewayUrlError: '. Example: --gateway http://127.0.0.1:8080',
  'UsageError nobody-to-fetch-from':
    ': start one with ipfsz daemon, or specify a peer with --peer, a gateway with --gateway, or a router with --router',
  /**
   * # No daemon is running
   *
   * `peers` and `connect` talk to the daemon of the repo. Off the public network (`IPFSZ_BOOTSTRAP=none`), `name` and
   * `providers` need a daemon or a `--peer`. Start it with `ipfsz daemon`. If a daemon is running, it may use another
   * repo: check `--repo` and `IPFSZ_PATH`.
   */
  'DaemonError not-running': ': start one with ipfsz daemon',
  /**
   * # does not answer (REASON): restart it with ipfsz daemon
   *
   * A daemon has locked the repo, but its control port does not respond. End the process in the message, and start the
   * daemon again.
   */
  'DaemonError no-answer': ': restart it with ipfsz daemon',
  'DaemonError no-id': ': run ipfsz daemon once to create it',
  'DaemonError no-network': ': start a daemon with ipfsz daemon, or specify a peer with --peer',
  /**
   * # No record of NAME was found: it was never published, or its record has expired.
   *
   * IPNS records expire, after 48 hours by default, unless a daemon republishes them. Ask the owner to run `ipfsz name
   * publish`, and to keep a daemon running.
   */
  'NameError no-record': '. Ask its owner to publish it again, with ipfsz name publish',
  'NameError not-a-name': '. ipfsz name publish prints one: k51...',
  'NameError not-stored': '. Check the connected peers with ipfsz peers',
  'NameError offline': ': run ipfsz daemon, or specify a peer with --peer or a gateway with --gateway',
  'NameError timeout': '. Allow more time with --timeout',
  /**
   * # this is a directory, not a file: list it with ipfsz ls
   *
   * Use `CID/path` to read a file in it, or write the whole directory to disk with `ipfsz get CID`.
   */
  NotAFileError: undefined,
  /**
   * # is a file: it cannot contain "NAME": remove that part of the path
   *
   * The path continues below a file, which has no entries.
   */
  NotADirectoryError: ': remove that part of the path',
  /**
   * # timed out: allow more time with --timeout
   *
   * `--timeout` limits the total time of `providers` and `name` (60 s by default). Try `--timeout 5m`.
   */
  TimeoutError: undefined
}
