import { ListenError } from '../../errors.ts'
import { listenReason } from '../../listen-reasons.ts'
import { portOwner } from '../../port-owner.ts'

/** An address, and the error of the system: libp2p puts both into the text of its message. */
const FAILED = /^\s*(\/\S+): .*?listen (E[A-Z]+)/m
const PORT = /\/(tcp|udp)\/(\d+)/

/** The error of libp2p for an address that it cannot listen on, or undefined if it is another error. */
export async function listenError (err: unknown): Promise<ListenError | undefined> {
  const [, address, code] = err instanceof Error ? FAILED.exec(err.message) ?? [] : []

  if (address == null || code == null) {
    return undefined
  }

  const [, protocol, port = ''] = PORT.exec(address) ?? []
  const owner = code === 'EADDRINUSE' ? await portOwner(protocol === 'udp' ? 'udp' : 'tcp', Number(port)) : undefined
  const reason = listenReason(code, port, owner) ?? code

  return new ListenError(address, code, `${reason}, with --listen`, { cause: err })
}
