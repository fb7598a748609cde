/**
 * Id of a zone, e.g. `apne2-az1` of `ap-northeast-2a`. In an account the letters may stand for other zones; here the
 * first letter is the first zone.
 * @see https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html
 */
export function zoneId(zone: string): string {
  const region = zone.slice(0, -1);
  const [area = "", ...rest] = region.split("-");
  const directions = rest.map((word) => word.replace(/north|south|east|west|central|gov/g, (part) => part.charAt(0)));
  return `${area}${directions.join("")}-az${zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0) + 1}`;
}
