import { once } from 'node:events'
import { startDaemon } from '../daemon/daemon.ts'
import { bootstrapTexts } from '../network/node/bootstrap-texts.ts'
import type { Provides } from '../daemon/daemon.ts'
import type { Context } from '../context.ts'

export interface DaemonCommandOptions {
  listen?: string[]
  announce?: string[]
  bootstrap?: string[]
  provide: Provides
}

/** Run a node until it is interrupted. */
export async function daemon (options: DaemonCommandOptions, context: Context): Promise<void> {
  const { io, output, repo, signal } = context
  const running = await startDaemon({
    ...options,
    bootstrap: bootstrapTexts(options.bootstrap, io.env),
    repo,
    signal,
    onNote: message => { output.note(message) },
    verbose: output.verbose
  })

  try {
    const { peerId, addresses } = running.id

    output.result(
      { event: 'started', peerId, addresses, pid: process.pid },
      [`Peer ID\t${peerId}`, ...addresses.map(address => `Address\t${address}`)].join('\n')
    )
    output.result({ event: 'ready' }, 'The daemon is ready')

    if (!signal.aborted) {
      await once(signal, 'abort')
    }
  } finally {
    await running.stop()
  }
}
