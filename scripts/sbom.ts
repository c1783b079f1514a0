/**
 * What `npm sbom` says of the whole workspace, cut to what is published. npm has no option for that: `--workspace` and
 * `--omit dev` keep tools, name packages by their folders, and take what is bundled for tools.
 */

import { SEPARATOR } from './licences.ts'

/** What is read and changed here of CycloneDX 1.5. A reference is `name@version`. */
export interface Sbom {
  metadata: { component: SbomComponent }
  components: SbomComponent[]
  dependencies: Array<{ ref: string, dependsOn: string[] }>
}

interface SbomComponent {
  'bom-ref': string
  name: string
  scope?: string
  properties?: Array<{ name: string, value: string }>
}

/** A package that is published. */
export interface PublishedPackage {
  name: string
  version: string
  dependencies?: object
  optionalDependencies?: object
  peerDependencies?: object
  /** The packages whose code is in its pack: references, or names alone. */
  bundled: readonly string[]
}

const DEVELOPMENT = 'cdx:npm:package:development'

/**
 * The SBOM of what is published: of the packages, what their packs contain, and what npm installs with them.
 *
 * @param workspace - that of the workspace
 * @param subject - the name of the package that it is about
 * @throws {Error} a package is bundled that the workspace does not have
 */
export function publishedSbom (workspace: Sbom, packages: readonly PublishedPackage[], subject: string): Sbom {
  const edges = new Map(workspace.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const refs = workspace.components.map(component => component['bom-ref'])
  const own = new Map(packages.map(one => [`${one.name}@${one.version}`, {
    ...one, bundled: one.bundled.map(named => refs.find(ref => ref === named || nameOf(ref) === named) ?? named)
  }]))
  const bundled = new Set([...own.values()].flatMap(one => one.bundled))
  const kept = new Set<string>()

  function keep (ref: string): void {
    if (!kept.has(ref)) {
      kept.add(ref)
      edges.get(ref)?.forEach(keep)
    }
  }

  for (const [ref, { dependencies, optionalDependencies, peerDependencies }] of own) {
    const installed = { ...dependencies, ...optionalDependencies, ...peerDependencies }
    edges.set(ref, (edges.get(ref) ?? []).filter(other => own.has(other) || Object.hasOwn(installed, nameOf(other))))
  }

  [...own.keys()].forEach(keep)

  // all of it is named: what it depends on is not installed
  for (const [ref, { bundled }] of own) {
    bundled.forEach(other => kept.add(other))
    edges.set(ref, [...new Set([...edges.get(ref) ?? [], ...bundled])])
  }

  const components = workspace.components.filter(({ 'bom-ref': ref }) => kept.has(ref)).map(component => ({
    ...component,
    name: nameOf(component['bom-ref']),
    scope: bundled.has(component['bom-ref']) ? 'required' : component.scope,
    properties: component.properties?.filter(({ name }) => name !== DEVELOPMENT)
  }))
  const missing = [...own.keys(), ...bundled].filter(ref => !components.some(one => one['bom-ref'] === ref))

  if (missing.length > 0) {
    throw new Error(`npm sbom does not name ${missing.join(', ')}`)
  }

  const isSubject = (component: SbomComponent): boolean => component.name === subject

  return {
    ...workspace,
    metadata: { ...workspace.metadata, component: components.filter(isSubject)[0] },
    components: components.filter(component => !isSubject(component)),
    dependencies: [...kept].map(ref => ({ ref, dependsOn: (edges.get(ref) ?? []).filter(other => kept.has(other)) }))
  }
}

/** The packages that a LICENSE-THIRD-PARTY names, most of them with a version, in the headings of its licences. */
export function bundledIn (licences: string): string[] {
  return licences.split(SEPARATOR)
    .flatMap(section => [...section.split('\n\n')[0].matchAll(/^(@?[\w./-]+)(?: (\d\S*))?: /gm)])
    .map(([, name, version]) => version == null ? name : `${name}@${version}`)
}

function nameOf (ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'))
}
