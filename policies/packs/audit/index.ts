import { serve } from "../../engine/crossguard";
import { audit } from "./rules";

serve(audit);
