import { NotFoundError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { DaemonError, NameError, NAME_REASONS, NotConnectedError, UsageError } from '../errors.ts'

/** The largest request in bytes, 64 KiB. */
export const MAX_REQUEST_SIZE = 64 * 1024
/** Maximum CIDs in one request to provide. */
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
  reason?: string
  /** Of a codec or a hash function. */
  code?: number
  /** Of a block, in bytes: how large it is, and may be at most. */
  size?: number
  max?: number
}

/** Fields by which errors of blocks are explained. */
type Fields = Error & Partial<Record<'cid' | 'code' | 'size' | 'max', unknown>>

/** Encodes an error, with the fields that `fromWire` needs, and those by which it is explained. */
export function toWire (err: unknown): WireError {
  const error: Fields = err instanceof Error ? err : new Error(String(err))
  const cid = CID.asCID(error.cid)
  const numbers = (['code', 'size', 'max'] as const).flatMap(name =>
    typeof error[name] === 'number' ? [[name, error[name]] as const] : [])

  return {
    name: error.name,
    message: error.message,
    ...cid == null ? {} : { cid: cid.toString() },
    ...Object.fromEntries(numbers),
    ...err instanceof NotConnectedError ? { address: err.address } : {},
    ...err instanceof NameError && err.reason != null ? { reason: err.reason } : {}
  }
}

/** Decodes an error into the class that a caller would have got without a daemon, else into a DaemonError. */
export function fromWire ({ name, message, cid, address, reason, code, size, max }: WireError): Error {
  if (name === NotFoundError.name && cid != null) {
    return new NotFoundError(CID.parse(cid))
  }

  if (name === NotConnectedError.name && address != null) {
    return Object.assign(new NotConnectedError(address, ''), { message })
  }

  switch (name) {
    case NameError.name:
      return new NameError(message, { reason: NAME_REASONS.find(known => known === reason) })
    case UsageError.name:
      return new UsageError(message)
    default:
      return new DaemonError(
        `The daemon: ${message}`,
        { cause: Object.assign(new Error(message), { name, cid, code, size, max }) }
      )
  }
}
