/**
 * @packageDocumentation
 *
 * Publishes and resolves IPNS names, through the daemon of a repo or a temporary node.
 *
 * @example
 *
 * ```ts
 * import { publishName, resolveName } from '@ipfsz/node/names'
 *
 * const { name } = await publishName(context, 'docs')
 * console.log(await resolveName(context, name))
 * ```
 */
export { publishName, resolveName } from './names.ts'
export type { PublishedPath, PublishOptions } from './names.ts'
