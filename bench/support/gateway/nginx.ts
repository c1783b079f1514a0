import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { atExit } from '../at-exit.ts'
import { listen } from '../loopback.ts'
import type { AddressInfo } from 'node:net'

/** How long it may take to start, in milliseconds, and how often to look. */
const START = 10_000
const INTERVAL = 50

/** Files that end in `.zst` go out with their content coding, as nginx does with modules that Debian lacks. */
function configuration (directory: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${join(directory, name)};`)

  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes auto;
pid ${join(directory, 'pid')};
error_log stderr crit;
events { worker_connections 1024; }
http {
  ${temporary.join('\n  ')}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 10000000;
  default_type text/plain;
  map $uri $coding { ~\\.zst$ zstd; default ""; }
  server {
    listen 127.0.0.1:${port};
    root ${join(directory, 'files')};
    add_header Content-Encoding $coding;
    add_header Vary Accept-Encoding;
  }
}
`
}

export interface Nginx {
  /** Without a slash at its end. */
  url: string
  pid: number
  /** Serve a file by a name. */
  put (name: string, bytes: Uint8Array): Promise<void>
  stop (): Promise<void>
}

/** Start an nginx that serves files of a directory. */
export async function startNginx (directory: string): Promise<Nginx> {
  const files = join(directory, 'files')
  const configured = join(directory, 'nginx.conf')
  // it cannot say which port it was given
  const port = await freePort()

  await mkdir(files, { recursive: true })
  await writeFile(configured, configuration(directory, port))

  const child = spawn('nginx', ['-e', 'stderr', '-p', directory, '-c', configured], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  const exit = once(child, 'close')
  const stay = atExit(() => { child.kill() })
  const url = `http://127.0.0.1:${port}`

  for (const end = performance.now() + START; !await answers(url);) {
    if (child.exitCode != null || performance.now() > end) {
      child.kill()
      throw new Error(child.exitCode == null ? `nginx did not start within ${START} ms` : 'nginx did not start')
    }

    await setTimeout(INTERVAL)
  }

  return {
    url,
    pid: child.pid as number,
    put: async (name, bytes) => writeFile(join(files, name), bytes),
    stop: async () => {
      child.kill()
      await exit
      stay()
    }
  }
}

async function freePort (): Promise<number> {
  const server = createServer()
  await listen(server)
  const { port } = server.address() as AddressInfo
  const closed = once(server, 'close')
  server.close()
  await closed

  return port
}

async function answers (url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer()

    return true
  } catch {
    return false
  }
}
