import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Daemon } from '../../../test/interop/ceph/daemon.ts'

/** Where `npm run cassandra` puts it. */
export const JARS = fileURLToPath(new URL('../../../node_modules/.cache/cassandra', import.meta.url))

/** The port for clients. */
export const CQL_PORT = 9042
/** The data center of all nodes of a site. */
export const DATA_CENTER = 'site'
/** How many nodes a site has. */
export const NODES = 3

export interface CassandraNodeInit {
  /** From 0 to `NODES` - 1. */
  number: number
  /** The address of the host. The first node answers there, and all reach each other on loopback. */
  address: string
  /** Empty, for everything that it writes. */
  directory: string
}

/** A node of a new cluster, which does not run yet. It writes what it does to `log` in its directory. */
export async function createCassandraNode ({ number, address, directory }: CassandraNodeInit): Promise<Daemon> {
  const settings = join(directory, 'conf')
  await mkdir(settings, { recursive: true })
  await writeFile(join(settings, 'cassandra.yaml'), yaml({ number, address, directory }))
  await writeFile(join(settings, 'cassandra-rackdc.properties'), `dc=${DATA_CENTER}\nrack=rack${number}\n`)
  await writeFile(join(settings, 'logback.xml'), LOG)

  return new Daemon([
    'java', ...MEMORY, ...opens(),
    `-Dcassandra.config=file://${settings}/cassandra.yaml`,
    `-Dcassandra.storagedir=${directory}`,
    // all nodes are new: none has to wait until it knows who owns what
    '-Dcassandra.ring_delay_ms=1000', '-Dcassandra.skip_wait_for_gossip_to_settle=0',
    '-Djava.library.path=/nonexistent',
    '-cp', `${settings}:${JARS}/*`, 'org.apache.cassandra.service.CassandraDaemon'
  ], process.env, join(directory, 'log'))
}

/** Nine of them share a machine, and none lives long. */
const MEMORY = [
  '-Xms320M', '-Xmx320M', '-XX:MaxDirectMemorySize=192M', '-Xss512k', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'
]

const LOG = '<configuration><appender name="O" class="ch.qos.logback.core.ConsoleAppender"><encoder>' +
  '<pattern>%-5level %d %F:%L - %msg%n</pattern></encoder></appender>' +
  '<root level="INFO"><appender-ref ref="O"/></root></configuration>\n'

function listenAddress (number: number): string {
  return `127.0.0.${number + 2}`
}

/** Cassandra reads JSON too, which is YAML. */
function yaml ({ number, address, directory }: CassandraNodeInit): string {
  const seeds = Array.from({ length: NODES }, (_, i) => listenAddress(i)).join(',')

  return JSON.stringify({
    cluster_name: 'ipfsz',
    // every node has a copy of everything, so it makes no difference which part is whose
    num_tokens: 1,
    initial_token: String(BigInt.asIntN(64, 2n ** 64n * BigInt(number) / BigInt(NODES))),
    partitioner: 'org.apache.cassandra.dht.Murmur3Partitioner',
    auto_bootstrap: false,
    seed_provider: [{ class_name: 'org.apache.cassandra.locator.SimpleSeedProvider', parameters: [{ seeds }] }],
    endpoint_snitch: 'GossipingPropertyFileSnitch',
    listen_address: listenAddress(number),
    rpc_address: number === 0 ? address : listenAddress(number),
    native_transport_port: CQL_PORT,
    data_file_directories: [join(directory, 'data')],
    ...Object.fromEntries(['commitlog', 'saved_caches', 'hints', 'cdc_raw'].map(
      name => [`${name}_directory`, join(directory, name)]
    )),
    commitlog_sync: 'periodic',
    commitlog_sync_period: '1000ms',
    commitlog_segment_size: '32MiB',
    memtable_heap_space: '64MiB',
    memtable_offheap_space: '64MiB',
    file_cache_size: '32MiB',
    key_cache_size: '8MiB',
    concurrent_reads: 8,
    concurrent_writes: 8,
    concurrent_compactors: 1,
    read_request_timeout: '20s',
    write_request_timeout: '20s',
    request_timeout: '20s'
  })
}

/** What Cassandra needs of Java's inner parts, as its own jvm17-server.options has it. */
function opens (): string[] {
  const exported = [
    'java.base/jdk.internal.misc', 'java.base/jdk.internal.ref', 'java.base/sun.nio.ch', 'java.rmi/sun.rmi.registry',
    'java.management.rmi/com.sun.jmx.remote.internal.rmi', 'java.rmi/sun.rmi.server', 'java.rmi/sun.rmi.transport.tcp',
    'java.sql/java.sql', 'java.base/java.lang.ref', 'jdk.unsupported/sun.misc'
  ]
  const opened = [
    ...[
      'java.lang.module', 'jdk.internal.loader', 'jdk.internal.ref', 'jdk.internal.reflect', 'jdk.internal.math',
      'jdk.internal.module', 'jdk.internal.util.jar', 'sun.nio.ch', 'java.io', 'java.nio', 'java.util',
      'java.util.concurrent', 'java.util.concurrent.atomic', 'java.lang', 'java.math', 'java.lang.reflect', 'java.net'
    ].map(name => `java.base/${name}`),
    'jdk.management/com.sun.management.internal'
  ]

  return [
    '-Djdk.attach.allowAttachSelf=true',
    ...exported.flatMap(name => ['--add-exports', `${name}=ALL-UNNAMED`]),
    ...opened.flatMap(name => ['--add-opens', `${name}=ALL-UNNAMED`])
  ]
}
