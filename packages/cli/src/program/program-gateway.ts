import { UsageError } from '../errors.ts'
import { addPeerOptions, compressOption, DEFAULT_GATEWAY_ADDRESS, withNetwork } from './program-network.ts'
import { collect, parseNumber, parseSize, parseSizeOrNone } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { GatewayCommandOptions } from '../commands/gateway.ts'
import type { NetworkFlags } from './program-network.ts'
import type { Command } from 'commander'

type GatewayFlags = NetworkFlags & Pick<GatewayCommandOptions, 'listen'> & Partial<GatewayCommandOptions>

/** Define the command that serves a repo over HTTP. */
export function defineGatewayCommand (program: Command, context: () => Context): void {
  addPeerOptions(program.command('gateway')
    .description('serve this repo over HTTP, to browsers, curl and other IPFS nodes')
    .option('--listen <address>', 'listen here; port 0 is any that is free', DEFAULT_GATEWAY_ADDRESS)
    .option('--public', 'allow addresses that other machines reach')
    .option('--fetch', 'fetch what the repo lacks from other nodes, through the daemon if one runs')
    .option(
      '--cache <size>',
      'how much of what is fetched to keep, beside the repo\'s own blocks; none keeps nothing (default: 10GiB)',
      parseSizeOrNone
    )
    .option(
      '--host <name>',
      'serve each CID below this host on a subdomain, as on localhost: CID.ipfs.NAME; repeatable',
      collect(text => text)
    )
    .addOption(compressOption('--compress [what]'))
    .option('--compress-cpu <percent>', 'how much of one processor core that may take (default: 25)', parseNumber)
    .option('--compress-cache <size>', 'memory for compressed blocks (default: 64MiB)', parseSize)
    .option('--log', 'print a line for each request, in the combined log format (default with --verbose)')
    .option('--metrics <address>', 'serve metrics for Prometheus at http://ADDRESS/metrics')
    .option(
      '--trust-proxy <address>',
      'believe X-Forwarded-For of this reverse proxy, of a range such as 10.0.0.0/8, or of loopback; repeatable',
      collect(text => text)
    )
    .option('--max-requests <n>', 'how many requests to answer at once (default: 4096)', parseNumber)
    .option(
      '--max-requests-per-address <n>',
      'how many requests of one address to answer at once (default: 512)',
      parseNumber
    ))
    .action(async (flags: GatewayFlags) => {
      if (flags.fetch !== true && (flags.peer ?? flags.timeout ?? flags.cache) != null) {
        throw new UsageError('--peer, --timeout and --cache are for fetching: add --fetch, or drop them')
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
