import { Option } from 'commander'
import { UsageError } from '../errors.ts'
import { layoutOption, serveOriginalsOption } from './program-originals.ts'
import { DEFAULT_GATEWAY_ADDRESS, NONE, urlsIn } from '@ipfsz/node/environment'
import { collect, parseDuration, parseSizeOrNone } from '../terminal/units.ts'
import { TARGET } from './targets.ts'
import type { Context } from '../context.ts'
import type { NetworkOptions } from '@ipfsz/node/session'
import type { DaemonCommandOptions } from '../commands/daemon.ts'
import type { PublishOptions } from '@ipfsz/node/names'
import type { Command } from 'commander'

/** The options that `addNetworkOptions` adds, as parsed. */
export interface NetworkFlags {
  offline?: boolean
  peer?: string[]
  gateway?: string[]
  router?: string[]
  allowLocal?: boolean
  timeout?: number
}

/** The flags of the daemon: `--gateway` may have no address. */
interface DaemonFlags extends Omit<DaemonCommandOptions, 'gateway'> {
  gateway?: string | true
}

/** The longest timeout, in milliseconds: timers hold at most 24 days. Longer ones are cut to this. */
const LONGEST_TIMEOUT = 2 ** 31 - 1 - 60_000

/** The heading of the options of commands that may use the network. */
const NETWORK_OPTIONS = 'Network options:'

export function addNetworkOptions (command: Command): Command {
  return addPeerOptions(command
    .optionsGroup(NETWORK_OPTIONS)
    .option('--offline', 'use only this repo')
    .option(
      '--gateway <url>',
      'fetch from this HTTP gateway before asking peers (default: $IPFSZ_GATEWAYS); repeatable',
      collect(text => text, false)
    )
    .addOption(routerOption())
    .addOption(allowLocalOption()))
}

/** The option that names delegated routers. */
export function routerOption (): Option {
  return new Option(
    '--router <url>',
    'fetch from the HTTP gateways that this delegated router lists (default: $IPFSZ_ROUTERS); repeatable'
  ).argParser(collect(text => text, false))
}

export function allowLocalOption (): Option {
  return new Option('--allow-local', 'also fetch from gateways in private networks, if routers or peers list them')
}

/** Add the options of commands that always ask other nodes. */
export function addPeerOptions (command: Command): Command {
  return command
    .optionsGroup(NETWORK_OPTIONS)
    .option('--peer <multiaddr>', 'also ask this peer; repeatable', collect(text => text))
    .addOption(
      new Option(
        '--timeout <duration>',
        'give up when nothing arrives for this long, such as 10s or 5m (default: 60s)'
      ).argParser(parseDuration)
    )
}

/** Move the network options from the flags into the context. */
export function withNetwork<T extends NetworkFlags> (
  { offline, peer, gateway, router, allowLocal, timeout, ...rest }: T,
  context: Context
): [
  Omit<T, keyof NetworkFlags>,
  Context
] {
  if (offline === true && (peer ?? gateway ?? router ?? allowLocal ?? timeout) != null) {
    throw new UsageError('--offline cannot be combined with other network options')
  }

  const network: NetworkOptions = {
    offline,
    peers: peer,
    gateways: offline === true ? [] : gateway ?? urlsIn(context.io.env.IPFSZ_GATEWAYS),
    routers: offline === true ? [] : router ?? urlsIn(context.io.env.IPFSZ_ROUTERS),
    allowLocal,
    timeout: timeout == null ? undefined : Math.min(timeout, LONGEST_TIMEOUT)
  }

  return [rest, { ...context, network }]
}

/** The option by which a gateway compresses what is not stored compressed. */
export function compressOption (flags: string): Option {
  return new Option(
    flags,
    'compress blocks on the fly for clients that accept it; all: also send files as gzip to clients ' +
      'that do not accept their stored encoding'
  ).choices(['blocks', 'all']).preset('blocks')
}

/** Define the commands for the daemon, peers and IPNS names. */
export function defineNetworkCommands (program: Command, context: () => Context): void {
  program.command('daemon')
    .description('run a node: serve this repo to other nodes, and fetch for the other commands')
    .option(
      '--listen <multiaddr>',
      'address to listen on (default: TCP 4101, WebSockets 4102 and WebRTC 4103 on all addresses); repeatable',
      collect(text => text)
    )
    .option(
      '--announce <multiaddr>',
      'announce this address instead of the ones listened on; repeatable',
      collect(text => text)
    )
    .option(
      '--bootstrap <multiaddr>',
      'a bootstrap peer, or none (default: $IPFSZ_BOOTSTRAP, or the public network); repeatable',
      collect(text => text)
    )
    .addOption(
      new Option(
        '--provide <what>',
        'what to advertise to other nodes: pinned roots, all blocks, or nothing'
      ).choices(['roots', 'all', 'none']).default('roots')
    )
    .option('--no-libp2p-gateway', 'do not serve blocks to other nodes over HTTP, only over Bitswap')
    .option(
      '--compress-connections',
      'compress connections to nodes that have this option too; for content that is stored uncompressed. Takes ' +
        'processor time and about 3 MB of memory per connection. Only for public content: the number of bytes sent ' +
        'can reveal secrets'
    )
    .option(
      '--gateway [address]',
      `also run a gateway, as ipfsz gateway does (default address: ${DEFAULT_GATEWAY_ADDRESS})`
    )
    .option('--gateway-fetch', 'let the gateway fetch content that is not in the repo')
    .option(
      '--gateway-cache <size>',
      'size of the disk cache for blocks that the gateway fetches, or none (default: 10GiB)',
      parseSizeOrNone
    )
    .option('--gateway-public', 'let the gateway listen on addresses that other machines can reach')
    .addOption(compressOption('--gateway-compress [what]'))
    .option('--gateway-metrics <address>', 'serve Prometheus metrics of the gateway at http://ADDRESS/metrics')
    .addOption(serveOriginalsOption())
    .addOption(layoutOption('--originals-layout <name>'))
    .action(async ({ gateway, ...options }: DaemonFlags) => {
      if (options.bootstrap != null && options.bootstrap.length > 1 && options.bootstrap.includes(NONE)) {
        throw new UsageError(
          '--bootstrap none cannot be combined with bootstrap peers'
        )
      }

      if (options.originalsLayout != null && options.serveOriginals !== true) {
        throw new UsageError('--originals-layout requires --serve-originals')
      }

      const { gatewayFetch, gatewayPublic, gatewayCompress, gatewayMetrics } = options

      if (gateway == null && (gatewayFetch ?? gatewayPublic ?? gatewayCompress ?? gatewayMetrics) != null) {
        throw new UsageError('The --gateway-... options require --gateway')
      }

      if (options.gatewayCache != null && options.gatewayFetch !== true) {
        throw new UsageError('--gateway-cache requires --gateway-fetch')
      }

      const { daemon } = await import('../commands/daemon.ts')
      await daemon({
        ...options,
        ...gateway == null ? {} : { gateway: gateway === true ? DEFAULT_GATEWAY_ADDRESS : gateway }
      }, context())
    })

  program.command('id')
    .description('show the peer ID of this repo, and the addresses of its daemon')
    .action(async () => (await import('../commands/peers.ts')).id(context()))

  program.command('peers')
    .description('list the peers that the daemon is connected to')
    .action(async () => (await import('../commands/peers.ts')).peers(context()))

  program.command('connect')
    .description('connect the daemon to peers')
    .argument('<multiaddr...>')
    .addOption(new Option('--timeout <duration>', 'give up after this long (default: 60s)').argParser(parseDuration))
    .action(async (addresses: string[], flags: NetworkFlags) =>
      (await import('../commands/peers.ts')).connect(addresses, withNetwork(flags, context())[1]))

  addPeerOptions(program.command('providers')
    .description('list the peers that advertise a CID')
    .argument('<cid>', TARGET))
    .action(async (cid: string, flags: NetworkFlags) =>
      (await import('../commands/peers.ts')).providers(cid, withNetwork(flags, context())[1]))

  const name = program.command('name').description('publish and resolve IPNS names')

  addPeerOptions(name.command('publish')
    .description('publish an IPNS name that resolves to a CID')
    .argument('<cid>', TARGET)
    .option('--key <name>', 'key to publish under; created if missing (default: the key of the node)')
    .addOption(
      new Option(
        '--lifetime <duration>',
        'how long the record is valid (default: 48h)'
      ).argParser(parseDuration)
    ))
    .action(async (cid: string, flags: NetworkFlags & PublishOptions) =>
      (await import('../commands/name.ts')).publishName(cid, ...withNetwork(flags, context())))

  addPeerOptions(name.command('resolve')
    .description('print the CID that a name resolves to')
    .argument('<name>', 'an IPNS name (k51...), a key of this repo, or a DNS name with a DNSLink'))
    .action(async (text: string, flags: NetworkFlags) =>
      (await import('../commands/name.ts')).resolveName(text, withNetwork(flags, context())[1]))
}
