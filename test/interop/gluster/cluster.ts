import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'

const run = promisify(execFile)

/** In a network of its own: GlusterFS refuses addresses of the loopback interface that begin with 127. */
const ADDRESS = '10.77.0.1'
const VOLUME = 'shared'
const BRICKS = 3

/** Three bricks that each have a copy of all files, and mounts of them, as on several nodes. */
export interface GlusterCluster {
  /** The directories where the volume is mounted. */
  readonly mounts: readonly string[]
  /** Kill the process of a brick as a power cut would. */
  killBrick (number: number): Promise<void>
  /** Start the bricks that were killed. */
  startBricks (): Promise<void>
  /** Unmount, end all processes, delete all files. */
  stop (): Promise<void>
}

/** @throws if GlusterFS is missing or this is not root, with what to do */
export async function startGluster (mountCount: number): Promise<GlusterCluster> {
  if (process.getuid?.() !== 0) {
    throw new Error('Run this test as root: it mounts GlusterFS in a network namespace')
  }

  for (const [tool, args] of [['glusterd', '--version'], ['ip', '-V'], ['nsenter', '-V']]) {
    await run(tool, [args]).catch((cause: unknown) => {
      const advice = 'apt-get install glusterfs-server glusterfs-client iproute2'
      throw new Error(`${tool} is not on the PATH: ${advice}`, { cause })
    })
  }

  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-gluster-'))
  const namespace = `ipfsz-gluster-${process.pid}`
  const mounts = Array.from({ length: mountCount }, (_, i) => join(directory, `mount${i}`))
  const inside = async (...[program, ...args]: string[]): Promise<string> => {
    const { stdout } = await run('nsenter', [`--net=/var/run/netns/${namespace}`, program, ...args])

    return stdout
  }
  const socket = join(directory, 'glusterd.sock')
  const gluster = async (...args: string[]): Promise<string> =>
    inside('gluster', '--mode=script', `--glusterd-sock=${socket}`, ...args)

  const stop = async (): Promise<void> => {
    for (const mount of mounts) {
      await run('umount', ['--lazy', mount]).catch(() => {})
    }

    // all that run in this network are ours
    const { stdout } = await run('ip', ['netns', 'pids', namespace]).catch(() => ({ stdout: '' }))
    stdout.split('\n').filter(pid => pid !== '').forEach(pid => {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // it has ended
      }
    })

    await run('ip', ['netns', 'delete', namespace]).catch(() => {})
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  try {
    await run('ip', ['netns', 'add', namespace])
    await inside('ip', 'link', 'set', 'lo', 'up')
    await inside('ip', 'addr', 'add', `${ADDRESS}/32`, 'dev', 'lo')

    const bricks = Array.from({ length: BRICKS }, (_, i) => join(directory, `brick${i}`))

    for (const path of [...mounts, ...bricks, ...['work', 'run'].map(name => join(directory, name))]) {
      await mkdir(path)
    }

    const settings = join(directory, 'glusterd.vol')
    await writeFile(settings, daemonSettings(directory, socket))
    // returns when the daemon listens
    await inside('glusterd', '-f', settings, '-l', `${directory}/glusterd.log`, '-p', `${directory}/glusterd.pid`)
    const places = bricks.map(path => `${ADDRESS}:${path}`)
    await gluster('volume', 'create', VOLUME, 'replica', String(BRICKS), ...places, 'force')
    // how long a brick may be silent until the others go on without it, in seconds
    await gluster('volume', 'set', VOLUME, 'network.ping-timeout', '3')
    await gluster('volume', 'start', VOLUME)

    for (const [i, mount] of mounts.entries()) {
      await inside(
        'glusterfs', `--volfile-server=${ADDRESS}`, `--volfile-id=${VOLUME}`, `--log-file=${directory}/mount${i}.log`,
        // every node sees at once what another has changed
        '--entry-timeout=0', '--attribute-timeout=0', '--negative-timeout=0', mount
      )
    }
  } catch (err) {
    await stop()
    throw err
  }

  const pidOf = async (brick: number): Promise<number> => {
    const pids = join(directory, 'run', 'vols', VOLUME)
    const name = (await readdir(pids)).find(name => name.endsWith(`-brick${brick}.pid`)) ?? ''

    return Number(await readFile(join(pids, name), 'utf8'))
  }

  return {
    mounts,
    stop,
    async killBrick (number) {
      process.kill(await pidOf(number), 'SIGKILL')
    },
    async startBricks () {
      // the daemon takes a while to notice that a brick was killed, and starts none that it takes for alive
      await vi.waitFor(async () => {
        await gluster('volume', 'start', VOLUME, 'force')

        for (let i = 0; i < BRICKS; i++) {
          // one that was killed stays as a zombie for a while
          expect(await readFile(`/proc/${await pidOf(i)}/stat`, 'utf8')).not.toMatch(/\) Z /)
        }
      }, { timeout: 120_000, interval: 250 })
    }
  }
}

function daemonSettings (directory: string, socket: string): string {
  return [
    'volume management',
    '    type mgmt/glusterd',
    `    option working-directory ${directory}/work`,
    `    option run-directory ${directory}/run`,
    `    option glusterd-sockfile ${socket}`,
    '    option transport-type socket',
    `    option transport.socket.bind-address ${ADDRESS}`,
    'end-volume',
    ''
  ].join('\n')
}
