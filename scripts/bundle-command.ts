/**
 * Bundles the command (packages/cli) with all packages that it needs: writes its bundle/, and LICENSE-THIRD-PARTY with
 * the licences of what is in there. Run after tsc.
 *
 * Addons cannot be bundled. They are the optional dependencies of the command.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, parse } from 'node:path'
import { build } from 'rolldown'
import { licencesOf, SEPARATOR } from './licences.ts'
import type { Plugin } from 'rolldown'

const PACKAGES = join(dirname(import.meta.dirname), 'packages')
const COMMAND = join(PACKAGES, 'cli')

/**
 * What one chunk holds, with all that these files import: most commands need most of it, and a file for each set of
 * modules that some commands share would be a hundred files to open.
 */
const START = new RegExp(`/(?:${[
  'cli/dist/run-process',
  // with what reads all that comes over HTTP: what is in another chunk is compiled again by each process
  'cli/dist/commands/(?:add|cat)',
  'node/dist/config/index',
  'codecs/dist/impl/zstd-native',
  'blockstore-packed/dist/index'
].join('|')})\\.js$`.replaceAll('/', '[\\\\/]'))

/** The directory of a package, from a file in it. */
const DIRECTORY = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const { optionalDependencies: addons = {} } = readManifest(COMMAND)

function readManifest (directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
}

/** Bundle the command. */
export async function bundleCommand (): Promise<void> {
  const { output } = await build({
    input: join(COMMAND, 'dist/run-process.js'),
    platform: 'node',
    external: isAddon,
    plugins: [lazyGlob(), silentDebug(), lazyBuiltins()],
    onLog (level, log, print) {
      // a dynamic import does not move a module out of the first chunk: that is what START is for
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' || !START.test(log.id ?? '')) {
        print(level, log)
      }
    },
    // its index exports a store that makes a logger at load, which looks for colours of the terminal: nothing uses it
    treeshake: { moduleSideEffects: [{ test: /[\\/]node_modules[\\/]datastore-core[\\/]/, sideEffects: false }] },
    output: {
      dir: join(COMMAND, 'bundle'),
      cleanDir: true,
      // Node loads ES modules more slowly: for each module of its own it reads all exports, and opens stdin on the way
      format: 'cjs',
      strict: true,
      // one character that is not in ASCII doubles the memory of its file, and load-start.cjs does not decode them
      charset: 'ascii',
      entryFileNames: '[name].cjs',
      // packages/cli/bin/load-start.cjs loads it by its name
      chunkFileNames: ({ name }) => name === 'start' ? 'start.cjs' : '[name]-[hash].cjs',
      codeSplitting: { groups: [{ name: 'start', test: START }] },
      comments: false,
      // @peculiar/x509 compares names of classes, which would change where two packages have a class of the same name
      keepNames: true
    }
  })
  const chunks = output.filter(file => file.type === 'chunk')
  const unknown = chunks.flatMap(({ fileName, imports, dynamicImports }) => [...imports, ...dynamicImports]
    .filter(name => !isBuiltin(name) && !chunks.some(({ fileName }) => fileName === name) && !isAddon(name))
    .map(name => `${fileName} imports ${name}`))

  const { fileName } = chunks.find(({ code }) => /[^\0-\x7f]/.test(code)) ?? {}

  if (fileName != null) {
    throw new Error(`${fileName} has characters that are not in ASCII: packages/cli/bin/load-start.cjs cannot read it`)
  }

  if (unknown.length > 0) {
    throw new Error(`Neither bundled nor an optional dependency of the command:\n${unknown.join('\n')}`)
  }

  writeLicences([
    ...chunks.flatMap(({ moduleIds }) => moduleIds), ...await bundleThreads(join(COMMAND, 'bundle'), 'dist'),
    ...await bundleSiteScripts()
  ])
}

/**
 * Bundle the programs of worker threads, each into one file: a thread starts in a fifth of the time, and needs no more
 * memory than for what it runs. Returns the modules that they hold.
 *
 * @param folder - where it is
 */
export async function bundleThreads (folder: string, compiled: 'src' | 'dist'): Promise<string[]> {
  // of the sources: what was renamed may still be in dist
  const programs = globSync('**/*.thread.ts', { cwd: join(PACKAGES, 'node/src') })
    .map(path => join(PACKAGES, 'node', compiled, compiled === 'src' ? path : path.replace(/ts$/, 'js')))
  const same = programs.find((path, i) => programs.findIndex(other => basename(other) === basename(path)) < i)

  if (same != null) {
    throw new Error(`Two programs of threads have the name ${basename(same)}: in the bundle they lie in one directory`)
  }

  const modules = await Promise.all(programs.map(async input => {
    const { output: [chunk] } = await build({
      input,
      platform: 'node',
      external: isAddon,
      output: {
        file: join(folder, `${parse(input).name}.cjs`),
        format: 'cjs',
        codeSplitting: false,
        // as above: each thread has the text of its program in memory
        charset: 'ascii',
        comments: false
      }
    })

    return chunk.moduleIds
  }))

  return modules.flat()
}

/**
 * Bundle the scripts of published sites, for browsers, into @ipfsz/site and into the command. Returns the modules that
 * they hold.
 */
async function bundleSiteScripts (): Promise<string[]> {
  const modules = await Promise.all(['loader', 'worker'].map(async name => {
    const file = join(PACKAGES, `site/dist/${name}.bundle.js`)
    const { output: [chunk] } = await build({
      input: join(PACKAGES, `site/dist/site-${name}.js`),
      platform: 'browser',
      output: { file, format: 'iife', codeSplitting: false, minify: true }
    })

    copyFileSync(file, join(COMMAND, `bundle/${name}.bundle.js`))

    return chunk.moduleIds
  }))

  return modules.flat()
}

/**
 * Whether an import is of an addon.
 *
 * @throws {Error} the package that imports it needs other versions of it than the command's manifest says
 */
function isAddon (specifier: string, importer?: string): boolean {
  const name = Object.keys(addons).find(name => specifier === name || specifier.startsWith(`${name}/`))

  if (name == null) {
    return false
  }

  const [directory = COMMAND] = DIRECTORY.exec(importer ?? '') ?? []
  const { dependencies, optionalDependencies } = readManifest(directory)
  const range = { ...dependencies, ...optionalDependencies }[name]

  if (range !== addons[name]) {
    throw new Error(`${directory} depends on ${name} ${range}, and the command on ${addons[name]}: change its manifest`)
  }

  return true
}

/** Load it-glob on first use. blockstore-fs and datastore-fs import it for queries, which few commands make. */
function lazyGlob (): Plugin {
  const [name, lazy] = ['it-glob', '\0lazy-glob']
  let importer: string | undefined

  return {
    name: 'lazy-glob',
    resolveId (source, from) {
      if (source !== name) {
        return undefined
      }

      if (from !== lazy) {
        importer = from
        return lazy
      }

      return this.resolve(source, importer, { skipSelf: true })
    },
    load (id) {
      return id === lazy
        ? `export default async function * glob (...args) { yield * (await import('${name}')).default(...args) }`
        : undefined
    }
  }
}

/** Leave out what prints messages for the developers of a dependency: it looks for colours of the terminal at load. */
function silentDebug (): Plugin {
  const [name, silent] = ['debug', '\0silent-debug']

  return {
    name: 'silent-debug',
    resolveId: source => source === name ? silent : undefined,
    load: id => id === silent ? 'export default () => Object.assign(() => {}, { enabled: false })' : undefined
  }
}

/** Load Node's own modules on first use: that of child processes, which commander names, takes milliseconds. */
function lazyBuiltins (): Plugin {
  const lazy = 'const lazyBuiltin = name => { let module; return new Proxy({}, { get: (_, key) => ' +
    '(module ??= require(name), key === "default" ? module : module[key]) }) };'

  return {
    name: 'lazy-builtins',
    renderChunk (code, { fileName }) {
      const names: string[] = []
      const changed = code
        .replaceAll(/^(node_\w+) = require_rolldown_runtime\.__toESM\(\1(?:, 1)?\);\n/gm, '')
        .replaceAll(/^let (node_\w+) = require\("(node:[\w/]+)"\);$/gm, (_, name: string, module: string) => {
          names.push(name)
          return `const ${name} = lazyBuiltin("${module}");`
        })
      const whole = names.find(name => new RegExp(`(?<!const )\\b${name}\\b(?!\\.)`).test(changed))

      if (whole != null) {
        throw new Error(`${fileName} uses ${whole} other than by the names of its exports`)
      }

      return names.length === 0 ? null : changed.replace('"use strict";', `"use strict";\n${lazy}`)
    }
  }
}

function writeLicences (modules: readonly string[]): void {
  const directories = new Set(modules.flatMap(id => DIRECTORY.exec(id)?.[0] ?? []))
  const codecs = join(PACKAGES, 'codecs')
  // what the codecs have embedded as strings, no bundler sees
  const { status, stderr } = spawnSync(process.execPath, ['scripts/third-party.ts'], { cwd: codecs, encoding: 'utf8' })

  if (status !== 0) {
    throw new Error(`The licences of packages/codecs cannot be collected: ${stderr}`)
  }

  const embedded = readFileSync(join(codecs, 'LICENSE-THIRD-PARTY'), 'utf8').trim()
  writeFileSync(join(COMMAND, 'LICENSE-THIRD-PARTY'), `${licencesOf(directories)}${SEPARATOR}${embedded}\n`)
}

if (import.meta.main) {
  await bundleCommand()
}
