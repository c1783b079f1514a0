import { NotFoundError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { DaemonError, NameError, NotConnectedError, UsageError } from '../errors.ts'

/** The largest request in bytes, 64 KiB. */
export const MAX_REQUEST_SIZE = 64 * 1024
/** The most CIDs in one request to provide. */
export const MAX_CIDS = 256

/** The response header with the id of the peer that sent a block. */
export const PEER_HEADER = 'x-ipfsz-peer'

/** How the daemon reports a peer that lacks a block while it keeps searching: a link in early hints (RFC 8297). */
export function lackingHint (peer: string): { link: string } {
  return { link: `<${peer}>; rel="lacks"` }
}

/** The peer of a hint. */
export function lackingPeer ({ link }: Readonly<Record<string, unknown>>): string | undefined {
  return /^<([^>]+)>; rel="lacks"$/.exec(String(link))?.[1]
}

/** An error as the daemon sends it to a command, in JSON. */
export interface WireError {
  name: string
  message: string
  cid?: string
  address?: string
}

/** Encodes an error, with the fields that `fromWire` needs. */
export function toWire (err: unknown): WireError {
  const error = err instanceof Error ? err : new Error(String(err))

  return {
    name: error.name,
    message: error.message,
    ...err instanceof NotFoundError ? { cid: err.cid.toString() } : {},
    ...err instanceof NotConnectedError ? { address: err.address } : {}
  }
}

/** Decodes an error into the class that a caller would have got without a daemon, else into a DaemonError. */
export function fromWire ({ name, message, cid, address }: WireError): Error {
  if (name === NotFoundError.name && cid != null) {
    return new NotFoundError(CID.parse(cid))
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
      return new DaemonError(`The daemon: ${message}`, { cause: Object.assign(new Error(message), { name, cid }) })
  }
}
