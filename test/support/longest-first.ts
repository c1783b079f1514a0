import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification, Vitest } from 'vitest/node'

const ROOT = join(import.meta.dirname, '../..')

/**
 * The test files that take ten seconds or more, those that take longest first. Vitest knows the times of its
 * last run, which a fresh clone does not have.
 */
const LONG_FILES: readonly string[] = [
  'test/interop/ceph.test.ts',
  'test/interop/gluster.test.ts',
  'test/interop/kubo-network.test.ts',
  'test/demo/trouble.test.ts',
  'test/demo/read.test.ts',
  'test/demo/files.test.ts',
  'test/integration/network.test.ts',
  'test/interop/kubo-site.test.ts',
  'test/interop/clients/clients.test.ts',
  'test/integration/sizes.test.ts',
  'test/interop/streams.test.ts',
  'test/integration/compressed-blockstore-processes.test.ts',
  'test/interop/reference-tools.test.ts',
  'test/demo/peer.test.ts',
  'test/integration/network-clients.test.ts',
  'test/interop/kubo-store.test.ts',
  'packages/codecs/test/hostile.test.ts',
  'test/integration/memory-strangers.test.ts',
  'test/integration/trees.test.ts',
  'test/demo/site.test.ts',
  'packages/codecs/test/stream-hostile.test.ts',
  'test/browser/libp2p-compression.test.ts',
  'test/interop/kubo-trees.test.ts',
  'test/integration/torture.test.ts',
  'test/integration/interruption.test.ts',
  'packages/core/test/auto.test.ts',
  'test/interop/kubo.test.ts',
  'packages/node/test/multihash-map.test.ts',
  'test/integration/power-cut.test.ts',
  'test/interop/s3.test.ts',
  'test/integration/get-kill.test.ts',
  'test/integration/memory.test.ts',
  'test/interop/kubo-originals.test.ts',
  'packages/codecs/test/stream.test.ts',
  'packages/core/test/http-source.test.ts',
  'test/integration/rooms.test.ts',
  'test/integration/repair-from-peers.test.ts',
  'packages/libp2p-compression/test/muxer-compliance.test.ts',
  'test/integration/containers.test.ts',
  'test/integration/links-kill.test.ts',
  'packages/codecs/test/codec.test.ts',
  'packages/codecs/test/fuzz.test.ts',
  'test/demo/daemon.test.ts',
  'bench/test/run.test.ts',
  'packages/blockstore-compressed/test/compliance.test.ts',
  'test/interop/s3-compliance.test.ts',
  'test/demo/access.test.ts',
  'test/interop/gateway-blocks.test.ts',
  'test/browser/workers.test.ts',
  'test/interop/firefox-pages.test.ts',
  'test/browser/libp2p-compression-websockets.test.ts',
  'test/integration/compressed-blockstore.test.ts',
  'test/interop/kubo-gateway.test.ts',
  'packages/node/test/block-session.test.ts',
  'packages/node/test/tree-memory.test.ts',
  'test/integration/gateway-load.test.ts',
  'test/pages/service-worker.test.ts',
  'test/integration/output.test.ts',
  'test/interop/service-worker.test.ts',
  'test/interop/kubo-client.test.ts',
  'test/interop/command.test.ts',
  'test/interop/site.test.ts',
  'test/interop/kubo-page.test.ts',
  'test/browser/without.test.ts',
  'packages/core/test/memory.test.ts',
  'packages/libp2p-compression/test/compressed-connection.test.ts',
  'test/integration/gc-processes.test.ts',
  'packages/libp2p-compression/test/negotiation.test.ts',
  'test/integration/gateway.test.ts',
  'test/integration/slow-link.test.ts',
  'test/integration/progress.test.ts',
  'test/integration/bench.test.ts',
  'packages/codecs/test/workers.test.ts',
  'packages/core/test/hostile-tree.test.ts',
  'test/browser/compressed-blockstore.test.ts',
  'test/demo/media.test.ts',
  'packages/blockstore-compressed/test/store.test.ts',
  'test/integration/names.test.ts',
  'test/integration/gateway-client.test.ts',
  'test/demo/share.test.ts',
  'packages/core/test/fetch.test.ts',
  'test/interop/compressed-blockstore-kubo.test.ts',
  'packages/core/test/ls.test.ts',
  'test/integration/power-cut-disk.test.ts',
  'test/integration/blockstore-commands.test.ts'
]

const RANKS = new Map(LONG_FILES.map((path, rank) => [path, rank]))

/** Runs the longest files of each project first, so that no worker is left with a long one at the end. */
export class LongestFirst extends BaseSequencer {
  constructor (vitest: Vitest) {
    super(vitest)
    const missing = LONG_FILES.filter(path => !existsSync(join(ROOT, path)))

    if (missing.length > 0) {
      throw new Error(`test/support/longest-first.ts lists files that do not exist: ${missing.join(', ')}`)
    }
  }

  override async sort (files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest's
    const sorted = await super.sort(files)
    const byProject = Map.groupBy(sorted, ({ project }) => project)

    return [...byProject.values()]
      // files with processes of their own, such as pages, which wait for a browser: not when all others have ended
      .toSorted(([a], [b]) => Number(b.project.config.isolate) - Number(a.project.config.isolate))
      .flatMap(specs => specs.toSorted((a, b) => rankOf(a) - rankOf(b)))
  }
}

function rankOf ({ moduleId }: TestSpecification): number {
  return RANKS.get(relative(ROOT, moduleId)) ?? LONG_FILES.length
}
