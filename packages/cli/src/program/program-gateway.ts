import { UsageError } from '../errors.ts'
import { DEFAULT_GATEWAY_ADDRESS } from '../gateway/default-address.ts'
import { addPeerOptions, allowLocalOption, compressOption, routerOption, withNetwork } from './program-network.ts'
import { serveOriginalsOption } from './program-originals.ts'
import { collect, parseNumber, parseSize, parseSizeOrNone } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { GatewayCommandOptions } from '../commands/gateway.ts'
import type { NetworkFlags } from './program-network.ts'
import type { Command } from 'commander'

type GatewayFlags = NetworkFlags & Pick<GatewayCommandOptions, 'listen'> & Partial<GatewayCommandOptions>

/** The options that need `--fetch`. */
const FETCHING = ['peer', 'gateway', 'router', 'allowLocal', 'timeout', 'cache'] as const

/** Define the command that serves a repo over HTTP. */
export function defineGatewayCommand (program: Command, context: () => Context): void {
  addPeerOptions(program.command('gateway')
    .description('serve this repo over HTTP, to browsers, curl and other IPFS nodes')
    .option('--listen <address>', 'listen here; port 0 is any that is free', DEFAULT_GATEWAY_ADDRESS)
    .option('--public', 'allow addresses that other machines reach')
    .option('--fetch', 'also serve what the repo lacks: fetch it from other nodes, through the daemon if one runs')
    .option(
      '--gateway <url>',
      'with --fetch, ask this HTTP gateway before peers (default: $IPFSZ_GATEWAYS); repeatable',
      collect(text => text, false)
    )
    .addOption(routerOption())
    .addOption(allowLocalOption())
    .option(
      '--cache <size>',
      'keep at most this much on disk of what is fetched, or none (default: 10GiB)',
      parseSizeOrNone
    )
    .option(
      '--host <name>',
      'give each CID a subdomain of this host, CID.ipfs.NAME, as on localhost; repeatable',
      collect(text => text)
    )
    .addOption(compressOption('--compress [what]'))
    .option('--compress-cpu <percent>', 'the share of one core that compressing may take (default: 25)', parseNumber)
    .option('--compress-cache <size>', 'memory for compressed blocks (default: 64MiB)', parseSize)
    .option('--log', 'print a line for each request, in the combined log format (default with --verbose)')
    .option('--metrics <address>', 'serve metrics for Prometheus at http://ADDRESS/metrics')
    .option(
      '--trust-proxy <address>',
      'believe the X-Forwarded headers of a reverse proxy at this address, in this range (10.0.0.0/8), or on ' +
        'loopback; repeatable',
      collect(text => text)
    )
    .option('--max-requests <n>', 'answer at most this many requests at once (default: 4096)', parseNumber)
    .option(
      '--max-requests-per-address <n>',
      'answer at most this many requests of one address at once (default: 512)',
      parseNumber
    )
    .addOption(serveOriginalsOption()))
    .action(async (flags: GatewayFlags) => {
      if (flags.fetch !== true && FETCHING.some(name => flags[name] != null)) {
        throw new UsageError(
          '--peer, --gateway, --router, --allow-local, --timeout and --cache are for fetching: add --fetch, or drop ' +
            'them'
        )
      }

      if (flags.compress == null && (flags.compressCpu ?? flags.compressCache) != null) {
        throw new UsageError('--compress-cpu and --compress-cache are for compressing: add --compress, or drop them')
      }

      if (flags.maxRequests === 0 || flags.maxRequestsPerAddress === 0) {
        throw new UsageError('A limit of 0 would refuse every request: give 1 or more')
      }

      const [{ fetch = false, public: isPublic = false, log = false, ...rest }, withPeers] =
        withNetwork(flags, context())
      const { gateway } = await import('../commands/gateway.ts')
      await gateway({ ...rest, fetch, public: isPublic, log }, withPeers)
    })
}
