export const files: readonly string[];
export function render(file: string): Promise<string>;
