import { ListenError } from '../../errors.ts'
import { listenReason } from '../../ports/listen-reasons.ts'
import { portOwner } from '../../ports/port-owner.ts'

/** An address, and the error of the system: libp2p puts both into the text of its message. */
const FAILED = /^\s*(\/\S+): .*?listen (E[A-Z]+)/m
const PORT = /\/(tcp|udp)\/(\d+)/

/** The error of libp2p for an address that it cannot listen on, or undefined if it is another error. */
export async function listenError (err: unknown): Promise<ListenError | undefined> {
  const [, address, code] = err instanceof Error ? FAILED.exec(err.message) ?? [] : []

  if (address == null || code == null) {
    return undefined
  }

  return await toListenError(address, code, err) ??
    new ListenError(address, code, `${code}, with --listen`, { cause: err })
}

/**
 * The error for an address that a node cannot listen on, with what to do.
 *
 * @param code - the error code of the system
 * @returns undefined if the code says nothing about the address
 */
export async function toListenError (address: string, code: string, cause: unknown): Promise<ListenError | undefined> {
  const [, protocol, port = ''] = PORT.exec(address) ?? []
  const owner = code === 'EADDRINUSE' ? await portOwner(protocol === 'udp' ? 'udp' : 'tcp', Number(port)) : undefined
  const reason = listenReason(code, port, owner)

  return reason == null ? undefined : new ListenError(address, code, `${reason}, with --listen`, { cause })
}
