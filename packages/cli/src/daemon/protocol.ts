import { CID } from 'multiformats/cid'
import { DaemonError, NameError, NotConnectedError, NotFetchedError, UsageError } from '../errors.ts'

/** The most bytes of a request, 64 KiB. */
export const MAX_REQUEST_SIZE = 64 * 1024
/** The most CIDs of one request to provide. */
export const MAX_CIDS = 256

/** The header of a block that names the peer it came from. */
export const PEER_HEADER = 'x-ipfsz-peer'

/** An error on its way from the daemon to a command. */
export interface WireError {
  name: string
  message: string
  cid?: string
  timeout?: number
  providers?: number
  address?: string
}

export function toWire (err: unknown): WireError {
  const { name, message } = err instanceof Error ? err : new Error(String(err))

  return {
    name,
    message,
    ...err instanceof NotFetchedError ? { cid: err.cid.toString(), timeout: err.timeout, providers: err.providers } : {},
    ...err instanceof NotConnectedError ? { address: err.address } : {}
  }
}

/** The error that it was, where it is one that callers know. */
export function fromWire ({ name, message, cid, timeout, providers, address }: WireError): Error {
  if (name === NotFetchedError.name && cid != null) {
    return new NotFetchedError(CID.parse(cid), timeout ?? 0, providers ?? 0)
  }

  if (name === NotConnectedError.name && address != null) {
    return Object.assign(new NotConnectedError(address, ''), { message })
  }

  return name === NameError.name ? new NameError(message) : name === UsageError.name ? new UsageError(message) : new DaemonError(`The daemon: ${message}`)
}
