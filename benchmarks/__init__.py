"""Programs that measure accuracy, speed and scaling, and save what they find as JSON."""
