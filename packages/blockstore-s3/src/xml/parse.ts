import { parseXml, XmlElement } from '@rgrove/parse-xml'

/** Maximum tags of an answer. A page of 1,000 objects has 20 to 40 for each; an element takes hundreds of bytes. */
const MAX_TAGS = 100_000

/**
 * The root element of an answer.
 *
 * @param name - what it is to be
 * @throws {Error} it is not XML, has too many elements, or is another element
 */
export function parseAnswer (xml: string, name: string): XmlElement {
  if (xml.split('<', MAX_TAGS + 1).length > MAX_TAGS) {
    throw new Error(`it has more than ${MAX_TAGS} tags`)
  }

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
