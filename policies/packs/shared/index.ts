import { serve } from "../../core/crossguard";
import { shared } from "./rules";

serve(shared);
