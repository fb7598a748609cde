import { serve } from "../../core/crossguard";
import { audit } from "./rules";

serve(audit);
