import { writeDaemonFile } from '../../packages/node/dist/daemon/daemon-file.js'
import { lockDaemon } from '../../packages/node/dist/daemon/daemon-lock.js'
import { serveNetwork } from '../../packages/node/dist/daemon/server.js'
import type { Network } from '../../packages/node/dist/network/network.js'

/** Serve a network as the daemon of a repo does, from this process. */
export async function startFakeDaemon (repo: string, network: Network): Promise<{ stop: () => Promise<void> }> {
  const lock = await lockDaemon(repo, new AbortController().signal)
  const { port, token, close } = await serveNetwork(network)
  await writeDaemonFile(repo, { pid: process.pid, port, token }, lock.name)

  return {
    async stop () {
      await close()
      await lock.release()
    }
  }
}
