import { audit, serve } from "../..";

serve(audit);
