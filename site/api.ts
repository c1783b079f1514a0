import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { TypeDocOptions } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

const ROOT = dirname(import.meta.dirname)
const PACKAGES = join(ROOT, 'packages')
/** Where the Markdown of the API reference is written. Git ignores it. */
const OUTPUT = join(import.meta.dirname, 'api')
/** What packages of the project share with each other alone. */
const INTERNAL = /^@ipfsz\/utils\/(?!errors$)/

const OPTIONS: Partial<TypeDocOptions & PluginOptions> = {
  plugin: ['typedoc-plugin-markdown'],
  name: 'API',
  out: OUTPUT,
  tsconfig: join(import.meta.dirname, 'tsconfig.api.json'),
  readme: 'none',
  disableGit: true,
  disableSources: true,
  githubPages: false,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  // the build checks the types
  skipErrorChecking: true,
  logLevel: 'Warn',
  // what is not exported has no page
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table'
}

interface Manifest {
  name: string
  exports: Record<string, string | { types: string }>
}

// TypeDoc needs the compiler's JavaScript API, which TypeScript 7 does not have
registerHooks({
  resolve: (specifier, context, next) => next(
    specifier,
    specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context
  )
})

/** Write a page for each module that the packages export. Warnings of TypeDoc, such as broken links, are errors. */
export async function writeApi (): Promise<void> {
  const { Application, Converter, ReflectionKind } = await import('typedoc')
  const exported = exportedModules()
  // TypeDoc names a module by its path below the packages
  const modules = new Map([...exported].map(([file, name]) => (
    [relative(PACKAGES, file).replace(/(?:\/index)?\.ts$/, ''), name]
  )))
  const app = await Application.bootstrapWithPlugins({ ...OPTIONS, entryPoints: [...exported.keys()] })

  // every error has a static name, which TypeDoc describes as that of a function
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (property.flags.isStatic && property.name === 'name') {
        project.removeReflection(property)
      }
    }
  })

  const project = await app.convert()

  if (project == null) {
    throw new Error('TypeDoc cannot read the packages: see its messages above')
  }

  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    module.name = modules.get(module.name) ?? module.name
  }

  rmSync(OUTPUT, { recursive: true, force: true })
  await app.generateOutputs(project)

  if (app.logger.hasErrors() || app.logger.hasWarnings() || !existsSync(join(OUTPUT, 'README.md'))) {
    throw new Error('The API reference is not complete: see the messages of TypeDoc above')
  }
}

/** The source files of all modules that programs can import, and their names, as in `@ipfsz/core/http`. */
function exportedModules (): Map<string, string> {
  return new Map(globSync('packages/*/package.json', { cwd: ROOT }).toSorted().flatMap(file => {
    const { name, exports } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Manifest

    return Object.entries(exports).flatMap(([path, target]): Array<[string, string]> => {
      const module = name + path.slice(1)

      if (typeof target === 'string' || INTERNAL.test(module)) {
        return []
      }

      const source = target.types.replace(/^\.\/dist\//, 'src/').replace(/\.d\.ts$/, '.ts')

      return [[join(ROOT, dirname(file), source), module]]
    })
  }))
}

if (import.meta.main) {
  await writeApi()
  console.info(`The API reference is in ${relative(process.cwd(), OUTPUT)}`)
}
