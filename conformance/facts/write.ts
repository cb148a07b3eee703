/** `npm run facts` in this folder: makes docs/pi-facts.md and its Chinese side anew. */

import { writePages } from "./page.ts";

await writePages();
