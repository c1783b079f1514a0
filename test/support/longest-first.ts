import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification, Vitest } from 'vitest/node'

const ROOT = join(import.meta.dirname, '../..')

/**
 * The test files of which the tests that are neither slow nor nightly take eight seconds or more, those that take
 * longest first. Vitest knows the times of its last run, which a fresh clone does not have.
 */
const LONG_FILES: readonly string[] = [
  'test/interop/kubo-site.test.ts',
  'test/demo/read.test.ts',
  'test/demo/site.test.ts',
  'test/demo/files.test.ts',
  'test/browser/workers.test.ts',
  'test/demo/peer.test.ts',
  'test/interop/kubo-network.test.ts',
  'test/interop/clients/clients.test.ts',
  'test/browser/without.test.ts',
  'packages/node/test/add-in-threads.test.ts',
  'test/interop/reference-tools.test.ts',
  'test/demo/daemon.test.ts',
  'test/interop/streams.test.ts',
  'packages/codecs/test/stream.test.ts',
  'test/browser/libp2p-compression-websockets.test.ts',
  'packages/blockstore-compressed/test/store.test.ts',
  'test/integration/site-releases.test.ts',
  'packages/core/test/base.test.ts',
  'packages/codecs/test/codec.test.ts',
  'packages/node/test/tree-threads.test.ts',
  'test/pages/service-worker.test.ts',
  'test/integration/golden-commands.test.ts',
  'packages/node/test/readable-files.test.ts',
  'test/pages/dictionary.test.ts',
  'packages/blockstore-packed/test/processes.test.ts',
  'test/integration/full-disks.test.ts',
  'test/pages/site-releases.test.ts',
  'packages/node/test/store-simulation.test.ts',
  'test/browser/compressed-blockstore.test.ts',
  'packages/core/test/http-source.test.ts',
  'test/interop/kubo-store.test.ts',
  'packages/node/test/add-again.test.ts',
  'test/interop/kubo.test.ts',
  'packages/shared-store/test/pack-model.test.ts',
  'packages/libp2p-compression/test/negotiation.test.ts',
  'test/browser/deterministic.test.ts',
  'test/integration/damage.test.ts',
  'test/interop/kubo-originals.test.ts',
  'test/integration/layouts.test.ts',
  'packages/shared-store/test/pack-storage.test.ts',
  'test/integration/nightly.test.ts',
  'test/integration/repo-pipes.test.ts',
  'packages/blockstore-packed/test/simulation.test.ts',
  'packages/core/test/hostile-tables.test.ts',
  'test/interop/gateway-blocks.test.ts',
  'test/integration/action.test.ts',
  'packages/core/test/golden.test.ts',
  'test/integration/node-program.test.ts',
  'test/integration/damaged-pins.test.ts',
  'packages/node/test/light-import.test.ts',
  'test/integration/packs.test.ts',
  'test/interop/s3.test.ts',
  'test/integration/convert-store.test.ts',
  'test/integration/progress.test.ts',
  'packages/codecs/test/sync.test.ts',
  'packages/core/test/add.test.ts',
  'test/pages/dataset.test.ts',
  'test/interop/kubo-client.test.ts',
  'packages/gateway/test/dictionary.test.ts',
  'test/integration/vectors.test.ts',
  'packages/node/test/compress-connections.test.ts',
  'test/demo/releases.test.ts',
  'test/interop/s3-compliance.test.ts',
  'test/interop/compressed-blockstore-kubo.test.ts'
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
