/** A page with the text between `<!-- NAME -->` and `<!-- /NAME -->` replaced. @throws Error when there is no such place */
export function withSection(page: string, name: string, text: string): string {
  const place = new RegExp(`(<!-- ${name}\\b[^>]*-->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!place.test(page)) throw new Error(`the page has no place for ${name}`);
  return page.replace(place, (_whole, head: string, end: string) => `${head}\n${text}\n\n${end}`);
}
