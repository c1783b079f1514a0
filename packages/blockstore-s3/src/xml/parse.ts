import { parseXml, XmlElement } from '@rgrove/parse-xml'

/**
 * The root element of an answer.
 *
 * @param name - what it is to be
 * @throws {Error} it is not XML, or another element
 */
export function parseAnswer (xml: string, name: string): XmlElement {
  const { root } = parseXml(xml)

  if (root?.name !== name) {
    throw new Error(`the answer is not a ${name}`)
  }

  return root
}

export function childrenOf (element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child): child is XmlElement => child instanceof XmlElement && child.name === name)
}

/** The text of the first child of this name. */
export function textOf (element: XmlElement, name: string): string | undefined {
  return childrenOf(element, name)[0]?.text
}
