import type { Advice } from './table.ts'

const USE_KUBO_API = ': use the address of Kubo\'s RPC API (port 5001 by default)'

/** Servers and Kubo */
export const SERVERS: Advice = {
  /**
   * # Cannot listen on ADDRESS: another program uses this port.
   *
   * `ss -lntup` (Linux), `lsof -i :PORT` (macOS) or `netstat -ano` (Windows) shows which program. Kubo's gateway uses
   * port 8080 too. Choose another port: `ipfsz gateway --listen 127.0.0.1:8081`.
   */
  ListenError: '',
  /**
   * # The node cannot start:
   *
   * The rest of the message is the reason. If it mentions a private key, the node's key file is damaged: move it away,
   * and the node creates a new one, with a new peer ID.
   */
  NodeError: undefined,
  /**
   * # Kubo does not answer:
   *
   * Start Kubo with `ipfs daemon`. `--kubo` takes the address of its RPC API, by default `http://127.0.0.1:5001`. The
   * file `api` in Kubo's repo contains it.
   */
  KuboUnreachableError: ': start Kubo with ipfs daemon, or pass its RPC API, such as --kubo http://127.0.0.1:5001',
  /**
   * # Kubo refuses the request (HTTP status N)
   *
   * Kubo requires credentials: `--kubo http://USER:PASSWORD@HOST:PORT`. [Directly into Kubo's
   * store](guide/with-kubo.md#directly-into-kubos-store) lists the paths to allow.
   */
  KuboForbiddenError:
    ': pass credentials, as in --kubo http://USER:PASSWORD@HOST:PORT, or allow access in Kubo\'s config ' +
      '(API.Authorizations)',
  /**
   * # use the address of Kubo's RPC API (port 5001 by default)
   *
   * Also `KuboCidMismatchError`. Something other than the RPC API answers at this address: often Kubo's
   * gateway, on port 8080.
   */
  NotKuboError: USE_KUBO_API,
  KuboCidMismatchError: USE_KUBO_API,
  /**
   * # Kubo says:
   *
   * The rest is Kubo's own message. Nothing was pinned: add the file again. With `ipfsz import --replace`, the import
   * is complete, but the pin in Kubo is still there, or Kubo had no separate pin of this CID.
   */
  KuboFailedError: ': add the file again',
  /**
   * # add it to the repo, without --kubo
   *
   * Kubo cannot store a block of this kind.
   */
  KuboUnsupportedCidError: ': add it to the repo, without --kubo',
  'UsageError from-kubo': ({ place }) =>
    `: start Kubo, and run ipfsz import --from-kubo ${place}, or pass each CID through ` +
      'ipfs dag export CID | ipfsz car import -',
  'UsageError to-kubo': ': import into it with ipfsz car export CID -o - | ipfs dag import'
}
