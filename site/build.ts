/**
 * Builds the site into site/dist: the API reference, the figures of benchmarks, the pages, and the demo. Fails at dead
 * links, and if anything in it depends on where it is served. Run after a build of the packages. Uses no network.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vitepress'
import { buildPage } from '../examples/web-app/build.ts'
import { writeApi } from './api.ts'
import { writeBenchmarks } from './benchmarks.ts'
import { siteProblems } from './check-site.ts'
import { writeNotFound } from './not-found.ts'
import { BASE } from './relocate.ts'

const OUTPUT = join(import.meta.dirname, 'dist')

await writeApi()
writeBenchmarks()
await build(import.meta.dirname)
await buildPage(join(OUTPUT, 'demo'))
// in the place of VitePress's own, which needs the site's files, and is shown below unknown folders
writeNotFound(OUTPUT)

const files = globSync('**/*', { cwd: OUTPUT }).filter(file => statSync(join(OUTPUT, file)).isFile())
const left = files
  .filter(file => !file.includes('@localSearchIndex') && readFileSync(join(OUTPUT, file)).includes(BASE))
  .map(file => `${file}: depends on where it is served`)
const problems = [...siteProblems(OUTPUT), ...left]

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  const bytes = files.reduce((sum, file) => sum + statSync(join(OUTPUT, file)).size, 0)
  console.info(`${files.length} files, ${(bytes / 1e6).toFixed(1)} MB in site/dist`)
}
