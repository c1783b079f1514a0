import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../support/tools.ts'
import { cephConfig } from './config.ts'
import { Daemon } from './daemon.ts'
import type { CephPlace } from './config.ts'
import type { AddressInfo } from 'node:net'

/** A Ceph cluster of its own on loopback, with two S3 gateways. */
export interface Ceph {
  /** URLs of the gateways. */
  endpoints: string[]
  credentials: { accessKeyId: string, secretAccessKey: string }
  gateways: Daemon[]
  storage: Daemon[]
  /** Resolves when a gateway answers. */
  gatewayWorks: (index: number) => Promise<void>
  /** Resolves when all storage daemons are up. */
  storageWorks: () => Promise<void>
  /** End all daemons, and delete their data. */
  stop: () => Promise<void>
}

export interface CephInit {
  /**
   * The room of each storage daemon, in bytes. Nothing takes it up before it is used.
   *
   * @default 2147483648
   */
  storageSize?: number
  /**
   * Placement groups of each pool. Objects of one group wait for each other, and each takes a while to start.
   *
   * @default 1
   */
  placementGroups?: number
  /**
   * The address that the gateways listen on. Everything else stays on loopback.
   *
   * @default '127.0.0.1'
   */
  address?: string
  /** @default 2 */
  gatewayCount?: number
}

type Tool = (name: string, ...args: string[]) => Promise<Buffer>

const CREDENTIALS = { accessKeyId: 'ipfsz', secretAccessKey: 'ipfsz-secret' }
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw']
const STORAGE_DAEMONS = 3
/** In bytes: 2 GiB. */
const DEFAULT_STORAGE_SIZE = 2 * 1024 ** 3
/** In milliseconds. The slowest takes ten seconds. */
const TOOL_TIMEOUT = 120_000

/** @throws if Ceph is missing, with how to install it */
export async function startCeph (
  { storageSize = DEFAULT_STORAGE_SIZE, placementGroups = 1, address = '127.0.0.1', gatewayCount = 2 }: CephInit = {}
): Promise<Ceph> {
  // short, as the paths of sockets may have 107 bytes
  const directory = await mkdtemp(join(tmpdir(), 'ceph-'))
  const env = { ...process.env, CEPH_CONF: join(directory, 'ceph.conf') }
  const daemons: Daemon[] = []
  // some wait for ever for a monitor that does not answer
  const tool: Tool = async (name, ...args) => run(name, args, undefined, env, AbortSignal.timeout(TOOL_TIMEOUT))
  const daemon = (output: string, ...command: string[]): Daemon => {
    const started = new Daemon(command, env, join(directory, 'log', output))
    daemons.push(started)
    started.start()

    return started
  }
  const stop = async (): Promise<void> => {
    await Promise.all(daemons.map(async daemon => daemon.kill()))
    await rm(directory, { recursive: true, force: true })
  }

  try {
    await Promise.all(PROGRAMS.map(async program => tool(program, '--version')))
    const ports = await freePorts(1 + gatewayCount)
    const endpoints = ports.slice(1).map(port => `http://${address}:${port}`)

    const place = { directory, fsid: randomUUID(), monitorPort: ports[0], storageSize, placementGroups }

    await startMonitor(place, tool, daemon)
    const storage = await startStorage(directory, tool, daemon)
    const storageWorks = async (): Promise<void> => storage[0].waitUntil(async () => {
      return String(await tool('ceph', 'osd', 'stat')).includes(`${STORAGE_DAEMONS} up`)
    })
    await storageWorks()
    await tool('radosgw-admin', '-n', 'client.rgw', 'user', 'create', '--uid=ipfsz', '--display-name=ipfsz',
      `--access-key=${CREDENTIALS.accessKeyId}`, `--secret-key=${CREDENTIALS.secretAccessKey}`)

    // without tcp_nodelay every answer to GET takes 40 ms
    const gateways = endpoints.map((url, i) => daemon(`gateway.${i}`, 'radosgw', '-f', '-n', 'client.rgw', '--rgw-data',
      join(directory, `rgw.${i}`), '--rgw-frontends', `beast endpoint=${new URL(url).host} tcp_nodelay=1`))
    const gatewayWorks = async (index: number): Promise<void> => gateways[index].waitUntil(async () => {
      return fetch(endpoints[index]).then(({ ok }) => ok, () => false)
    })
    await Promise.all(endpoints.map(async (_, i) => gatewayWorks(i)))

    return { endpoints, credentials: CREDENTIALS, gateways, storage, gatewayWorks, storageWorks, stop }
  } catch (err) {
    await stop()
    throw err
  }
}

async function startMonitor (
  place: CephPlace,
  tool: Tool,
  daemon: (output: string, ...command: string[]) => Daemon
): Promise<void> {
  const { directory, fsid, monitorPort } = place
  const keyring = join(directory, 'keyring')
  const map = join(directory, 'monmap')
  const key = async (name: string, ...caps: string[]): Promise<Buffer> =>
    tool('ceph-authtool', keyring, '--gen-key', '-n', name, ...caps.flatMap(cap => ['--cap', ...cap.split('=')]))

  await mkdir(join(directory, 'log'))
  await mkdir(join(directory, 'run'))
  await writeFile(join(directory, 'ceph.conf'), cephConfig(place))
  await tool('ceph-authtool', '--create-keyring', keyring)
  await key('client.admin', 'mon=allow *', 'osd=allow *')
  await key('mon.', 'mon=allow *')
  await key('client.rgw', 'mon=allow rw', 'osd=allow rwx')
  await tool('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `v2:127.0.0.1:${monitorPort}`, map)
  await tool('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keyring)
  daemon('monitor', 'ceph-mon', '-i', 'a', '-f')
}

async function startStorage (
  directory: string,
  tool: Tool,
  daemon: (output: string, ...command: string[]) => Daemon
): Promise<Daemon[]> {
  const ids = Array.from({ length: STORAGE_DAEMONS }, (_, i) => String(i))

  // they are registered in order, as the monitor gives out the numbers
  const making = ids.map(async id => {
    const uuid = randomUUID()
    const data = join(directory, `osd.${id}`)
    await mkdir(data)
    await tool('ceph-authtool', join(data, 'keyring'), '--create-keyring', '--gen-key', '-n', `osd.${id}`)
    await tool('ceph-osd', '-i', id, '--mkfs', '--no-mon-config', '--osd-uuid', uuid)

    return { uuid, data }
  })

  for (const [i, made] of making.entries()) {
    const { uuid, data } = await made
    await tool('ceph', 'osd', 'new', uuid, ids[i])
    await tool('ceph', 'auth', 'add', `osd.${i}`, 'mon', 'allow profile osd', 'osd', 'allow *', '-i',
      join(data, 'keyring'))
  }

  return ids.map(id => daemon(`osd.${id}`, 'ceph-osd', '-i', id, '-f'))
}

/** Ports that nobody listens on. */
async function freePorts (count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(async server => once(server, 'listening')))
  const ports = servers.map(server => (server.address() as AddressInfo).port)
  await Promise.all(servers.map(async server => once(server.close(), 'close')))

  return ports
}
