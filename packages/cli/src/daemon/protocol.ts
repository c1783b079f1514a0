import { FetchStalledError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { DaemonError, explain, NameError, NotConnectedError, UsageError } from '../errors.ts'

/** The largest request in bytes, 64 KiB. */
export const MAX_REQUEST_SIZE = 64 * 1024
/** The most CIDs in one request to provide. */
export const MAX_CIDS = 256

/** The response header with the id of the peer that sent a block. */
export const PEER_HEADER = 'x-ipfsz-peer'

/** An error as the daemon sends it to a command, in JSON. */
export interface WireError {
  name: string
  message: string
  cid?: string
  time?: number
  providers?: number
  address?: string
}

/** Encodes an error, with the fields that `fromWire` needs. */
export function toWire (err: unknown): WireError {
  const error = err instanceof Error ? err : new Error(String(err))

  return {
    name: error.name,
    // of a NotConnectedError the command makes one again, which it explains itself
    message: error instanceof NotConnectedError ? error.message : explain(error),
    ...err instanceof FetchStalledError
      ? { cid: err.cid.toString(), time: err.time, providers: err.providers }
      : {},
    ...err instanceof NotConnectedError ? { address: err.address } : {}
  }
}

/** Decodes an error into the class that a caller would have got without a daemon, else into a DaemonError. */
export function fromWire ({ name, message, cid, time, providers, address }: WireError): Error {
  if (name === FetchStalledError.name && cid != null) {
    return new FetchStalledError(CID.parse(cid), time ?? 0, { providers })
  }

  if (name === NotConnectedError.name && address != null) {
    return Object.assign(new NotConnectedError(address, ''), { message })
  }

  switch (name) {
    case NameError.name:
      return new NameError(message)
    case UsageError.name:
      return new UsageError(message)
    default:
      return new DaemonError(`The daemon: ${message}`)
  }
}
