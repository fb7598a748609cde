import { shared, serve } from "../..";

serve(shared);
