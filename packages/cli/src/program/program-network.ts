import { Option } from 'commander'
import { UsageError } from '../errors.ts'
import { NONE } from '../network/node/bootstrap-texts.ts'
import { collect, parseDuration } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { NetworkOptions } from '../daemon/access.ts'
import type { DaemonCommandOptions } from '../commands/daemon.ts'
import type { NamePublishOptions } from '../commands/name.ts'
import type { Command } from 'commander'

/** What the options of `askingOthers` give. */
export interface NetworkFlags {
  offline?: boolean
  peer?: string[]
  timeout?: number
}

/** The longest time that timers know, 24 days. More than that is taken for that, in milliseconds. */
const LONGEST_TIMEOUT = 2 ** 31 - 1 - 60_000

/** Options for what may be asked of others. */
export function askingOthers (command: Command): Command {
  return command
    .option('--offline', 'use only this repo')
    .option('--peer <multiaddr>', 'also fetch from this peer; may be given several times', collect(text => text))
    .addOption(new Option('--timeout <duration>', 'give up when nothing arrives for so long, as 10s or 5m (default: 60s)').argParser(parseDuration))
}

/**
 * The context with what those options say, and the rest of the flags.
 *
 * @throws {UsageError} nobody is to be asked, and somebody is
 */
export function withNetwork<T extends NetworkFlags> ({ offline, peer, timeout, ...rest }: T, context: Context): [Omit<T, keyof NetworkFlags>, Context] {
  if (offline === true && (peer != null || timeout != null)) {
    throw new UsageError('--peer and --timeout are for asking others, and do not go with --offline')
  }

  const network: NetworkOptions = { offline, peers: peer, timeout: timeout == null ? undefined : Math.min(timeout, LONGEST_TIMEOUT) }

  return [rest, { ...context, network }]
}

/** The commands about other nodes. */
export function defineNetworkCommands (program: Command, context: () => Context): void {
  program.command('daemon')
    .description('run a node: serve this repo to other nodes, and fetch for the other commands')
    .option('--listen <multiaddr>', 'listen here (default: TCP 4101, WebSockets 4102 and WebRTC 4103 on all addresses); may be given several times', collect(text => text))
    .option('--announce <multiaddr>', 'tell others this address instead of those that are listened on; may be given several times', collect(text => text))
    .option('--bootstrap <multiaddr>', 'a peer to find others by, or none (default: $IPFSZ_BOOTSTRAP or the public network); may be given several times', collect(text => text))
    .addOption(new Option('--provide <what>', 'tell others of the roots of what is pinned, of all blocks, or of nothing').choices(['roots', 'all', 'none']).default('roots'))
    .action(async (options: DaemonCommandOptions) => {
      if (options.bootstrap != null && options.bootstrap.length > 1 && options.bootstrap.includes(NONE)) {
        throw new UsageError('--bootstrap none does not go with others')
      }

      const { daemon } = await import('../commands/daemon.ts')
      await daemon(options, context())
    })

  program.command('id')
    .description('show the peer id of this repo, and where its daemon listens')
    .action(async () => {
      const { id } = await import('../commands/peers.ts')
      await id(context())
    })

  program.command('peers')
    .description('list the peers that the daemon is connected to')
    .action(async () => {
      const { peers } = await import('../commands/peers.ts')
      await peers(context())
    })

  program.command('connect')
    .description('connect the daemon to a peer')
    .argument('<multiaddr...>')
    .addOption(new Option('--timeout <duration>', 'give up after so long (default: 60s)').argParser(parseDuration))
    .action(async (addresses: string[], flags: NetworkFlags) => {
      const { connect } = await import('../commands/peers.ts')
      await connect(addresses, withNetwork(flags, context())[1])
    })

  askingOthers(program.command('providers')
    .description('list the peers that advertise a CID')
    .argument('<cid>'))
    .action(async (cid: string, flags: NetworkFlags) => {
      const { providers } = await import('../commands/peers.ts')
      await providers(cid, withNetwork(flags, context())[1])
    })

  const name = program.command('name').description('publish and resolve IPNS names')

  askingOthers(name.command('publish')
    .description('publish a name that any IPFS node resolves to a CID')
    .argument('<cid>', 'a CID, or CID/path')
    .option('--key <name>', 'whose name, made where there is none (default: that of the node)')
    .addOption(new Option('--lifetime <duration>', 'how long it is good for without being published again (default: 48h)').argParser(parseDuration)))
    .action(async (cid: string, flags: NetworkFlags & NamePublishOptions) => {
      const { publishName } = await import('../commands/name.ts')
      await publishName(cid, ...withNetwork(flags, context()))
    })

  askingOthers(name.command('resolve')
    .description('resolve a name')
    .argument('<name>'))
    .action(async (text: string, flags: NetworkFlags) => {
      const { resolveName } = await import('../commands/name.ts')
      await resolveName(text, withNetwork(flags, context())[1])
    })
}
